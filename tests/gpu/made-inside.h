/* SPDX-License-Identifier: BSD-3-Clause */
/* made-inside.h - what the parts of the made CUDA share. */
#ifndef TESTS_GPU_MADE_INSIDE_H
#define TESTS_GPU_MADE_INSIDE_H

#include <cupti.h>

struct call {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	CUpti_CallbackData data;
	uint64_t room;
	int code;
};

/* The subscriber, if any, is called back. */
void made_tell(struct call *c, CUpti_ApiCallbackSite site);

/* A record that was asked for goes into a buffer. */
void made_put(const CUpti_Activity *record);

/* The driver is used for the first time, perhaps. */
void made_load(void);

#endif
