/* SPDX-License-Identifier: BSD-3-Clause */
/* elf-names-inline.h - aarch64 is glibc's since 2.17. */

#define ELF_MACHINE      EM_AARCH64
#define ELF_MACHINE_TEXT "Arm with 64 bits"
#define ELF_LOADERS      "ld-linux-aarch64.so.", "ld-2."
#define ELF_MACHINE_SEEN " (copse was seen there under emulation only)"
#define GLIBC_FIRST      "GLIBC_2.17"
#define GLIBC_CONDITIONS "GLIBC_2.17"
#define GLIBC_SPAWN      "GLIBC_2.17"
#define GLIBC_FINITE     "GLIBC_2.17"

static inline bool elf_binds(uint64_t type)
{
	return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
}
