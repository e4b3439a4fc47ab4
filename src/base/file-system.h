/* SPDX-License-Identifier: BSD-3-Clause */
/* file-system.h - what is known of file systems: file-systems.def. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* By the type of statfs(2); NULL: not known. */
const char *file_system_name(uint32_t type);

/* Do hosts share its files?  One that is not known counts as one host's. */
bool file_system_is_shared(uint32_t type);
