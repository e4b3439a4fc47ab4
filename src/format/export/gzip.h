/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip.h - bytes as a gzip file, which some formats are. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* 0, or -ENOMEM with a reason; what `to` says is the caller's to check. */
int gzip_write(FILE *to, const void *bytes, size_t size);
