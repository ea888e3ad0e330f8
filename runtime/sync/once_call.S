# heddle_call_once(routine): calls the program's initialiser in a frame whose personality routine is ours (once.cc). It may throw or
# be cancelled; the routine cleans up by itself, so no unwinder is linked into programs that have none.
	.text
	.globl	heddle_call_once
	.hidden	heddle_call_once
	.hidden	heddle_once_personality
	.type	heddle_call_once, @function
heddle_call_once:
	.cfi_startproc
	.cfi_personality 0x1b, heddle_once_personality
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	callq	*%rdi
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size	heddle_call_once, .-heddle_call_once
	.section	.note.GNU-stack,"",@progbits
