/* SPDX-License-Identifier: BSD-3-Clause */
/* io-coverage.h - what the kernel counted, and how much of it was seen. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* Sentences on what is not seen; nothing where all is, or that is not known. */
void io_coverage_say(struct report *report, const struct run *run);

/* A table for programs. */
void io_coverage_put(struct report *report, const struct run *run);
