/* SPDX-License-Identifier: BSD-3-Clause */
/* signal-name.h - the names of signals, as glibc has them since 2.32. */
#pragma once

/* "SEGV" of SIGSEGV; NULL: it has no name. */
const char *signal_name(int signum);
