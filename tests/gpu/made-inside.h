/* SPDX-License-Identifier: BSD-3-Clause */
/* made-inside.h - what the parts of the made CUDA share. */
#pragma once

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

/* A call of a function whose frame `params` is in, and its return. */
void made_begin(struct call *c, CUpti_CallbackDomain domain,
		CUpti_CallbackId id, const char *name, const void *params);
int made_end(struct call *c, int code);

/* Something happens to a context, or to what is in it. */
void made_resource(CUpti_CallbackId id, CUcontext context, void *of);

/* The thread makes or destroys a context, and the subscriber is told. */
int made_in_context_callback(void);

/* The context that there is. */
CUcontext made_context(void);

/* made-memory.c: the first context; all that is in it goes, and another. */
void made_first_context(void);
void made_next_context(void);

/* MADE_FAULT is this. */
int made_fault(const char *name);

/* made-counters.c: a kernel or copy works from then to then. */
void made_counters_work(const char *name, uint64_t start, uint64_t end);

/* The clock of records. */
uint64_t made_now(void);

/* The driver is used for the first time, perhaps. */
void made_load(void);
