#pragma once
namespace heddle::rt {
/// Many steps in a row changed nothing: lets the next deadline come, or what is outside have its time.
void let_time_pass_for_spinners();
/// Nobody is left who could ever change anything.
bool too_quiet();
}  // namespace heddle::rt
