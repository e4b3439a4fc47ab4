/* SPDX-License-Identifier: BSD-3-Clause */
/* elf-names-inline.h - x86-64 is glibc's since 2.2.5. */

#define ELF_MACHINE      EM_X86_64
#define ELF_MACHINE_TEXT "x86 with 64 bits"
#define ELF_LOADERS      "ld-linux-x86-64.so.", "ld-2.", "ld-lsb-x86-64.so."
#define ELF_MACHINE_SEEN ""
#define GLIBC_FIRST      "GLIBC_2.2.5"
#define GLIBC_CONDITIONS "GLIBC_2.3.2"
#define GLIBC_SPAWN      "GLIBC_2.15"
#define GLIBC_FINITE     "GLIBC_2.15"

static inline bool elf_binds(uint64_t type)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}
