/* SPDX-License-Identifier: BSD-3-Clause */
/* thunks-inline.h - x16 and x17 carry no argument. */

#define THUNK_GATES                                                            \
	__asm__(".set gate_number, 0\n"                                        \
		".pushsection .rodata.gate_wrappers, \"a\"\n"                  \
		".balign 4\n"                                                  \
		"gate_wrappers:\n"                                             \
		".popsection\n")

#define THUNK_GATE(symbol, main)                                               \
	__asm__(".pushsection .text\n"                                         \
		".balign 4\n"                                                  \
		".globl " #symbol "\n"                                         \
		".type " #symbol ", @function\n"                               \
		".hidden copse_wrap_" #main "\n" #symbol ":\n"                 \
		".cfi_startproc\n"                                             \
		"hint #34\n" /* bti c */                                       \
		"adrp x16, gate_targets + 8 * gate_number\n"                   \
		"add x16, x16, :lo12:gate_targets + 8 * gate_number\n"         \
		"ldar x16, [x16]\n"                                            \
		"cbz x16, 1f\n"                                                \
		"br x16\n"                                                     \
		"1: mov w17, #gate_number\n"                                   \
		"b gate_closed\n"                                              \
		".cfi_endproc\n"                                               \
		".size " #symbol ", . - " #symbol "\n"                         \
		".popsection\n"                                                \
		".pushsection .rodata.gate_wrappers, \"a\"\n"                  \
		".long copse_wrap_" #main " - .\n"                             \
		".popsection\n"                                                \
		".set gate_number, gate_number + 1\n");

/* All registers that may carry an argument are kept around trampoline_open():
 * x8 says where a result goes. */
#define THUNK_GATE_CLOSED                                                      \
	__asm__(".pushsection .text\n"                                         \
		".balign 4\n"                                                  \
		".type gate_closed, @function\n"                               \
		"gate_closed:\n"                                               \
		".cfi_startproc\n"                                             \
		"stp x29, x30, [sp, #-224]!\n"                                 \
		".cfi_def_cfa_offset 224\n"                                    \
		".cfi_offset x29, -224\n"                                      \
		".cfi_offset x30, -216\n"                                      \
		"mov x29, sp\n"                                                \
		"stp x0, x1, [sp, #16]\n"                                      \
		"stp x2, x3, [sp, #32]\n"                                      \
		"stp x4, x5, [sp, #48]\n"                                      \
		"stp x6, x7, [sp, #64]\n"                                      \
		"str x8, [sp, #80]\n"                                          \
		"stp q0, q1, [sp, #96]\n"                                      \
		"stp q2, q3, [sp, #128]\n"                                     \
		"stp q4, q5, [sp, #160]\n"                                     \
		"stp q6, q7, [sp, #192]\n"                                     \
		"mov w0, w17\n"                                                \
		"bl trampoline_open\n"                                         \
		"mov x16, x0\n"                                                \
		"ldp x0, x1, [sp, #16]\n"                                      \
		"ldp x2, x3, [sp, #32]\n"                                      \
		"ldp x4, x5, [sp, #48]\n"                                      \
		"ldp x6, x7, [sp, #64]\n"                                      \
		"ldr x8, [sp, #80]\n"                                          \
		"ldp q0, q1, [sp, #96]\n"                                      \
		"ldp q2, q3, [sp, #128]\n"                                     \
		"ldp q4, q5, [sp, #160]\n"                                     \
		"ldp q6, q7, [sp, #192]\n"                                     \
		"ldp x29, x30, [sp], #224\n"                                   \
		".cfi_restore x30\n"                                           \
		".cfi_restore x29\n"                                           \
		".cfi_def_cfa_offset 0\n"                                      \
		"br x16\n"                                                     \
		".cfi_endproc\n"                                               \
		".size gate_closed, . - gate_closed\n"                         \
		".popsection\n")

#define THUNK_DLSYM                                                            \
	__asm__(".pushsection .text\n"                                         \
		".balign 4\n"                                                  \
		".globl dlsym\n"                                               \
		".type dlsym, @function\n"                                     \
		"dlsym:\n"                                                     \
		".cfi_startproc\n"                                             \
		"hint #34\n" /* bti c */                                       \
		"add x3, x0, #1\n"                                             \
		"mov x2, x30\n"                                                \
		"cmp x3, #1\n"                                                 \
		"b.ls 1f\n"                                                    \
		"b dlsym_in_handle\n"                                          \
		"1: stp x29, x30, [sp, #-32]!\n"                               \
		".cfi_def_cfa_offset 32\n"                                     \
		".cfi_offset x29, -32\n"                                       \
		".cfi_offset x30, -24\n"                                       \
		"mov x29, sp\n"                                                \
		"str x1, [sp, #16]\n"                                          \
		"bl dlsym_prepare\n"                                           \
		"ldr x1, [sp, #16]\n"                                          \
		"ldp x29, x30, [sp], #32\n"                                    \
		".cfi_restore x30\n"                                           \
		".cfi_restore x29\n"                                           \
		".cfi_def_cfa_offset 0\n"                                      \
		"adrp x16, look_up_next\n"                                     \
		"add x16, x16, :lo12:look_up_next\n"                           \
		"ldar x16, [x16]\n"                                            \
		"br x16\n"                                                     \
		".cfi_endproc\n"                                               \
		".size dlsym, . - dlsym\n"                                     \
		".popsection\n")
