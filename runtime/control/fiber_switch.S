// Register switches of the fiber backend. System V x86-64: callee-saved registers, mxcsr and the x87 control word live on the
// stack of the context that is left; FS is switched together with the stack so that TLS is always that of the stack.
        .text

// void heddle_switch(void** save, void* load, uint64_t fs_base)
        .globl  heddle_switch
        .hidden heddle_switch
        .type   heddle_switch, @function
heddle_switch:
        .cfi_startproc
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        wrfsbase %rdx
        jmp     heddle_pop_context
        .cfi_endproc
        .size   heddle_switch, . - heddle_switch

// void heddle_resume(void* load): continues a saved context; FS is already right (the thread's own kernel thread).
        .globl  heddle_resume
        .hidden heddle_resume
        .type   heddle_resume, @function
heddle_resume:
        movq    %rdi, %rsp
heddle_pop_context:
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   heddle_resume, . - heddle_resume

// void heddle_park(void** save, void* stack_top, void (*wait)(void*), void* argument): saves the caller's context, then runs
// wait(argument) on another stack. Returns when somebody resumes the context; wait itself never returns.
        .globl  heddle_park
        .hidden heddle_park
        .type   heddle_park, @function
heddle_park:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        andq    $-16, %rsp
        movq    %rcx, %rdi
        xorl    %ebp, %ebp
        call    *%rdx
        ud2
        .size   heddle_park, . - heddle_park

// The first instructions of a thread without a kernel thread (light.cc): behind the clone of libc, as its child.
        .globl  heddle_light_begin
        .hidden heddle_light_begin
        .type   heddle_light_begin, @function
heddle_light_begin:
        .cfi_startproc
        .cfi_undefined rip
        movq    %r15, %rdi
        movq    %r14, %r8
        movq    %r13, %rdx
        movq    %rbx, %rsi
        xorl    %eax, %eax
        jmp     *%r12
        .cfi_endproc
        .size   heddle_light_begin, . - heddle_light_begin

        .section .note.GNU-stack,"",@progbits
