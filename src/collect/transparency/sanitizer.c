/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sanitizer.c - GCC's AddressSanitizer wants to be the first library, or ends
 * the program; it asks this function for its options, which the environment's
 * follow.  Its functions are the next ones after ours, as for any other.
 */
#include "base/hidden.h"

PUBLIC const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
