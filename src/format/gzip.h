/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip.h - bytes as a gzip file, which some formats are. */
#ifndef FORMAT_GZIP_H
#define FORMAT_GZIP_H

#include <stddef.h>
#include <stdio.h>

/* 0, or -ENOMEM with a reason; what `to` says is the caller's to check. */
int gzip_write(FILE *to, const void *bytes, size_t size);

#endif
