// The section heddle_sys: the only code whose system calls Syscall User Dispatch lets through (from __start_heddle_sys to
// __stop_heddle_sys, which the linker makes). Everything in the runtime that talks to the kernel does it from here; everything
// else is the program's and is trapped.
//
// Rules of this file: position independent, no calls out, one `syscall` instruction per way in.

        .section heddle_sys, "ax", @progbits
        .hidden heddle_raw_syscall, heddle_blocking_syscall, heddle_blocking_begin
        .hidden heddle_blocking_end, heddle_blocking_interrupted, heddle_clone_in_context, heddle_restore_rt
        .globl heddle_raw_syscall, heddle_blocking_syscall, heddle_blocking_begin
        .globl heddle_blocking_end, heddle_blocking_interrupted, heddle_clone_in_context, heddle_restore_rt

// long heddle_raw_syscall(long number, long a, long b, long c, long d, long e, long f): result or -errno.
        .type heddle_raw_syscall, @function
        .p2align 4
heddle_raw_syscall:
        .cfi_startproc
        endbr64
        movq %rdi, %rax
        movq %rsi, %rdi
        movq %rdx, %rsi
        movq %rcx, %rdx
        movq %r8, %r10
        movq %r9, %r8
        movq 8(%rsp), %r9
        syscall
        ret
        .cfi_endproc
        .size heddle_raw_syscall, . - heddle_raw_syscall

// long heddle_blocking_syscall(const uint32_t* stop, const long call[7]): call[0] is the number. -EINTR without entering the
// kernel when *stop is set. A signal handler that sets *stop while the thread is in [begin, end) moves it to `interrupted`,
// so no wake-up is lost between the test and the system call.
        .type heddle_blocking_syscall, @function
        .p2align 4
heddle_blocking_syscall:
        .cfi_startproc
        endbr64
        movq %rdi, %r11
        movq %rsi, %rax
        movq 8(%rax), %rdi
        movq 16(%rax), %rsi
        movq 24(%rax), %rdx
        movq 32(%rax), %r10
        movq 40(%rax), %r8
        movq 48(%rax), %r9
        movq 0(%rax), %rax
heddle_blocking_begin:
        cmpl $0, (%r11)
        jne heddle_blocking_interrupted
        syscall
heddle_blocking_end:
        ret
heddle_blocking_interrupted:
        movq $-4, %rax
        ret
        .cfi_endproc
        .size heddle_blocking_syscall, . - heddle_blocking_syscall

// long heddle_clone_in_context(const long gregs[], long resume): clone/clone3 with a stack of its own, as the program asked for
// it in the trapped context `gregs`. The child goes on at `resume` with the program's registers; the parent returns here.
// The two words below belong to the baton holder.
        .type heddle_clone_in_context, @function
        .p2align 4
heddle_clone_in_context:
        .cfi_startproc
        endbr64
        pushq %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pushq %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r14, 0
        pushq %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r15, 0
        movq %rsp, heddle_clone_stack(%rip)
        movq %rsi, heddle_clone_resume(%rip)
        movq %rdi, %rax
        movq 0(%rax), %r8            // order of gregs: r8..r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip
        movq 8(%rax), %r9
        movq 16(%rax), %r10
        movq 32(%rax), %r12
        movq 40(%rax), %r13
        movq 48(%rax), %r14
        movq 56(%rax), %r15
        movq 64(%rax), %rdi
        movq 72(%rax), %rsi
        movq 80(%rax), %rbp
        movq 88(%rax), %rbx
        movq 96(%rax), %rdx
        movq 104(%rax), %rax
        syscall
        testq %rax, %rax
        jnz 1f
        jmpq *heddle_clone_resume(%rip)
1:      movq heddle_clone_stack(%rip), %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        ret
        .cfi_endproc
        .size heddle_clone_in_context, . - heddle_clone_in_context

// Return from a signal handler. The bytes are the ones debuggers look for, the unwind information is glibc's: every register
// lies in the ucontext at (%rsp). The nop keeps an unwinder that looks at pc - 1 inside this function.
        .p2align 4
        .cfi_startproc simple
        .cfi_signal_frame
        .cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06   // cfa = *(rsp + 160)
        .cfi_escape 0x10, 8, 0x02, 0x77, 0x28            // r8..r15 at 40, 48 ...
        .cfi_escape 0x10, 9, 0x02, 0x77, 0x30
        .cfi_escape 0x10, 10, 0x02, 0x77, 0x38
        .cfi_escape 0x10, 11, 0x03, 0x77, 0xc0, 0x00
        .cfi_escape 0x10, 12, 0x03, 0x77, 0xc8, 0x00
        .cfi_escape 0x10, 13, 0x03, 0x77, 0xd0, 0x00
        .cfi_escape 0x10, 14, 0x03, 0x77, 0xd8, 0x00
        .cfi_escape 0x10, 15, 0x03, 0x77, 0xe0, 0x00
        .cfi_escape 0x10, 5, 0x03, 0x77, 0xe8, 0x00      // rdi 104
        .cfi_escape 0x10, 4, 0x03, 0x77, 0xf0, 0x00      // rsi 112
        .cfi_escape 0x10, 6, 0x03, 0x77, 0xf8, 0x00      // rbp 120
        .cfi_escape 0x10, 3, 0x03, 0x77, 0x80, 0x01      // rbx 128
        .cfi_escape 0x10, 1, 0x03, 0x77, 0x88, 0x01      // rdx 136
        .cfi_escape 0x10, 0, 0x03, 0x77, 0x90, 0x01      // rax 144
        .cfi_escape 0x10, 2, 0x03, 0x77, 0x98, 0x01      // rcx 152
        .cfi_escape 0x10, 7, 0x03, 0x77, 0xa0, 0x01      // rsp 160
        .cfi_escape 0x10, 16, 0x03, 0x77, 0xa8, 0x01     // rip 168
        nop
        .type heddle_restore_rt, @function
heddle_restore_rt:
        .byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00   // movq $SYS_rt_sigreturn, %rax
        syscall
        hlt
        .cfi_endproc
        .size heddle_restore_rt, . - heddle_restore_rt

// size_t heddle_copy(void* to, const void* from, size_t bytes): bytes NOT copied. A fault at heddle_copy_at is not the program's:
// io_recover_fault() moves the thread to heddle_copy_stopped.
        .text
        .hidden heddle_copy, heddle_copy_at, heddle_copy_stopped
        .globl heddle_copy, heddle_copy_at, heddle_copy_stopped
        .type heddle_copy, @function
        .p2align 4
heddle_copy:
        .cfi_startproc
        endbr64
        movq %rdx, %rcx
heddle_copy_at:
        rep movsb
heddle_copy_stopped:
        movq %rcx, %rax
        ret
        .cfi_endproc
        .size heddle_copy, . - heddle_copy

// uint64_t heddle_load<N>(const void* from, bool* ok): *ok becomes false when the load faults, as above.
        .hidden heddle_loads, heddle_loads_end, heddle_load_stopped
        .globl heddle_loads, heddle_loads_end, heddle_load_stopped
        .macro heddle_load name, instruction, register
        .hidden \name
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
        \instruction (%rdi), \register
        ret
        .cfi_endproc
        .size \name, . - \name
        .endm
heddle_loads:
        heddle_load heddle_load1, movzbl, %eax
        heddle_load heddle_load2, movzwl, %eax
        heddle_load heddle_load4, movl, %eax
        heddle_load heddle_load8, movq, %rax
heddle_loads_end:
heddle_load_stopped:
        xorl %eax, %eax
        movb $0, (%rsi)
        ret

        .bss
        .p2align 3
heddle_clone_stack:  .quad 0
heddle_clone_resume: .quad 0
        .section .note.GNU-stack, "", @progbits
