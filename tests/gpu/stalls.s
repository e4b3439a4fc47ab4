# stalls.s - stands for a cubin: functions in sections of their own, and lines.
# Symbols have other numbers than the samples say: they are found by name.
	.file 1 "stalls.cu"
	.section .text._Z5alphaPfi,"ax",%progbits
	.globl _Z5alphaPfi
	.type _Z5alphaPfi,%function
_Z5alphaPfi:
	.loc 1 10
	nop
	.skip 63
	.loc 1 17
	nop
	.skip 63
	.size _Z5alphaPfi, . - _Z5alphaPfi
	.type helper,%function
helper:
	.loc 1 30
	nop
	.skip 63
	.size helper, . - helper
	.section .text._Z4betaPf,"ax",%progbits
	.globl _Z4betaPf
	.type _Z4betaPf,%function
_Z4betaPf:
	.loc 1 40
	nop
	.skip 63
	.size _Z4betaPf, . - _Z4betaPf
