/* SPDX-License-Identifier: BSD-3-Clause */
/* piece.h - a part of a file that is read as if it were a file. */
#ifndef PROFILE_PIECE_H
#define PROFILE_PIECE_H

#include <stdint.h>

struct piece {
	uint64_t at, size; /* size 0: all of the file */
};

#endif
