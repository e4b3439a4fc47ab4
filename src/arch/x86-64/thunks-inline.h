/* SPDX-License-Identifier: BSD-3-Clause */
/* thunks-inline.h - r11 carries no argument. */

#define THUNK_GATES                                                            \
	__asm__(".set gate_number, 0\n"                                        \
		".pushsection .rodata.gate_wrappers, \"a\"\n"                  \
		".balign 4\n"                                                  \
		"gate_wrappers:\n"                                             \
		".popsection\n")

#define THUNK_GATE(symbol, main)                                               \
	__asm__(".pushsection .text\n"                                         \
		".globl " #symbol "\n"                                         \
		".type " #symbol ", @function\n"                               \
		".hidden copse_wrap_" #main "\n" #symbol ":\n"                 \
		".cfi_startproc\n"                                             \
		"mov gate_targets + 8 * gate_number(%rip), %r11\n"             \
		"test %r11, %r11\n"                                            \
		"jz 1f\n"                                                      \
		"jmp *%r11\n"                                                  \
		"1: mov $gate_number, %r11d\n"                                 \
		"jmp gate_closed\n"                                            \
		".cfi_endproc\n"                                               \
		".size " #symbol ", . - " #symbol "\n"                         \
		".popsection\n"                                                \
		".pushsection .rodata.gate_wrappers, \"a\"\n"                  \
		".long copse_wrap_" #main " - .\n"                             \
		".popsection\n"                                                \
		".set gate_number, gate_number + 1\n");

/* All registers that may carry an argument are kept around trampoline_open().
 */
#define THUNK_GATE_CLOSED                                                      \
	__asm__(".pushsection .text\n"                                         \
		".type gate_closed, @function\n"                               \
		"gate_closed:\n"                                               \
		".cfi_startproc\n"                                             \
		"push %rbp\n"                                                  \
		".cfi_def_cfa_offset 16\n"                                     \
		".cfi_offset %rbp, -16\n"                                      \
		"mov %rsp, %rbp\n"                                             \
		".cfi_def_cfa_register %rbp\n"                                 \
		"sub $192, %rsp\n"                                             \
		"mov %rax, -8(%rbp)\n"                                         \
		"mov %rdi, -16(%rbp)\n"                                        \
		"mov %rsi, -24(%rbp)\n"                                        \
		"mov %rdx, -32(%rbp)\n"                                        \
		"mov %rcx, -40(%rbp)\n"                                        \
		"mov %r8, -48(%rbp)\n"                                         \
		"mov %r9, -56(%rbp)\n"                                         \
		"movups %xmm0, -192(%rbp)\n"                                   \
		"movups %xmm1, -176(%rbp)\n"                                   \
		"movups %xmm2, -160(%rbp)\n"                                   \
		"movups %xmm3, -144(%rbp)\n"                                   \
		"movups %xmm4, -128(%rbp)\n"                                   \
		"movups %xmm5, -112(%rbp)\n"                                   \
		"movups %xmm6, -96(%rbp)\n"                                    \
		"movups %xmm7, -80(%rbp)\n"                                    \
		"mov %r11d, %edi\n"                                            \
		"call trampoline_open\n"                                       \
		"mov %rax, %r11\n"                                             \
		"movups -192(%rbp), %xmm0\n"                                   \
		"movups -176(%rbp), %xmm1\n"                                   \
		"movups -160(%rbp), %xmm2\n"                                   \
		"movups -144(%rbp), %xmm3\n"                                   \
		"movups -128(%rbp), %xmm4\n"                                   \
		"movups -112(%rbp), %xmm5\n"                                   \
		"movups -96(%rbp), %xmm6\n"                                    \
		"movups -80(%rbp), %xmm7\n"                                    \
		"mov -8(%rbp), %rax\n"                                         \
		"mov -16(%rbp), %rdi\n"                                        \
		"mov -24(%rbp), %rsi\n"                                        \
		"mov -32(%rbp), %rdx\n"                                        \
		"mov -40(%rbp), %rcx\n"                                        \
		"mov -48(%rbp), %r8\n"                                         \
		"mov -56(%rbp), %r9\n"                                         \
		"leave\n"                                                      \
		".cfi_def_cfa %rsp, 8\n"                                       \
		"jmp *%r11\n"                                                  \
		".cfi_endproc\n"                                               \
		".size gate_closed, . - gate_closed\n"                         \
		".popsection\n")

#define THUNK_DLSYM                                                            \
	__asm__(".pushsection .text\n"                                         \
		".globl dlsym\n"                                               \
		".type dlsym, @function\n"                                     \
		"dlsym:\n"                                                     \
		".cfi_startproc\n"                                             \
		"endbr64\n"                                                    \
		"lea 1(%rdi), %rax\n"                                          \
		"cmp $1, %rax\n"                                               \
		"mov (%rsp), %rdx\n"                                           \
		"ja dlsym_in_handle\n"                                         \
		"push %rsi\n"                                                  \
		".cfi_adjust_cfa_offset 8\n"                                   \
		"call dlsym_prepare\n"                                         \
		"pop %rsi\n"                                                   \
		".cfi_adjust_cfa_offset -8\n"                                  \
		"mov %rax, %rdi\n"                                             \
		"jmp *look_up_next(%rip)\n"                                    \
		".cfi_endproc\n"                                               \
		".size dlsym, . - dlsym\n"                                     \
		".popsection\n")
