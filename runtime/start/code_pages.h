#pragma once
namespace heddle::rt {
/// In the server: from now on fork() copies the page tables of the code that every run needs.
void keep_code_mapped();
}  // namespace heddle::rt
