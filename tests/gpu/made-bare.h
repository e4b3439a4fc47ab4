/* SPDX-License-Identifier: BSD-3-Clause */
/* made-bare.h - see made-bare.c. */
#pragma once

#include <cupti.h>

void bare_call(CUpti_CallbackFunc to, CUpti_CallbackDomain domain,
	       CUpti_CallbackId id, CUpti_CallbackData *data);
