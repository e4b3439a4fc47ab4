/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf-names.h - what ELF files and the C library have other names for on other
 * processors.
 *
 * ELF_MACHINE        e_machine of a program that we can be loaded into, …
 * ELF_MACHINE_TEXT   … and its name in a sentence
 * ELF_LOADERS        names of glibc's loader, up to a version, for an array
 * ELF_MACHINE_SEEN   where copse has not run on a real one yet: how it has; ""
 * GLIBC_FIRST        the first version of the C library's symbols
 *
 * GLIBC_CONDITIONS   that of pthread_cond_wait(), as in conditions.map
 * GLIBC_SPAWN        that of posix_spawn()
 *
 * GLIBC_FINITE       that of __exp_finite() and its kind
 *
 * elf_binds()        Is it a relocation that puts a symbol's address into a
 *                    table, for calls or else?
 */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

static inline bool elf_binds(uint64_t type);

#include "elf-names-inline.h"
