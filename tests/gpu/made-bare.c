/* SPDX-License-Identifier: BSD-3-Clause */
/* made-bare.c - a frame of which nothing is known: built without tables. */
#include "made-bare.h"

__attribute__((noinline)) void bare_call(CUpti_CallbackFunc to,
					 CUpti_CallbackDomain domain,
					 CUpti_CallbackId id,
					 CUpti_CallbackData *data)
{
	volatile uint64_t room[20];

	room[0] = id;
	to(0, domain, (CUpti_CallbackId)room[0], data);
	room[1] = 0; /* no tail call */
}
