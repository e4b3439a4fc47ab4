/* SPDX-License-Identifier: BSD-3-Clause */
/* extent.h - a part of a file that is read as if it were a file. */
#pragma once

#include <stdint.h>

struct file_extent {
	uint64_t at, size; /* size 0: all of the file */
};
