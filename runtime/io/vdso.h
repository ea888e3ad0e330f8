// libc reads clocks through the kernel's vDSO, where no system call is made that could be trapped.
#pragma once

namespace heddle::rt {

/// Makes the vDSO's functions real system calls, in this process and those it forks. Once, before any run.
/// False: there is no vDSO, or it cannot be written (then clocks read inside libc are real).
bool vdso_patch();

}  // namespace heddle::rt
