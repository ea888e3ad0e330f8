// The hooks of record clones keep all general registers but r11: code around a check that hardly ever fails must not pay for the call.
        .text
        .macro  thunk name, to
        .globl  \name
        .type   \name, @function
        .p2align 4
\name:
        .cfi_startproc
        endbr64
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        cld
        call    \to
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rax
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        thunk   __heddle_record, heddle_record_group
        thunk   __heddle_record_enter, heddle_record_region
        thunk   __heddle_record_poll, heddle_record_loop

        .section .note.GNU-stack, "", @progbits
