/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * capture.c - writes what CUPTI reports to the file COPSE_GPU_CAPTURE, so that
 * a machine without a GPU can play it (made-play.c).  To be preloaded; the
 * first process of the run that uses a GPU has the file.  What cannot be
 * written is left out.
 */
#include "cuda/capture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture.h"

enum {
	POINTERS = 4096
};

/* Mutable: one file for the process; NULL: nothing is captured. */
static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	FILE *to;
	const char *written[POINTERS]; /* by the pointer's hash */
} capture = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT };

static void open_capture(void)
{
	const char *path = getenv("COPSE_GPU_CAPTURE");

	capture.to = path ? fopen(path, "wxe") : NULL;
	if (capture.to)
		fputs(CAPTURE_MAGIC, capture.to);
}

void copse_capture_end(void)
{
	pthread_mutex_lock(&capture.lock);
	if (capture.to)
		fclose(capture.to);
	capture.to = NULL;
	pthread_mutex_unlock(&capture.lock);
}

/* Two pieces in one entry. */
static void put_capture(enum capture_type type, const void *first,
			size_t first_size, const void *second,
			size_t second_size)
{
	struct capture_entry entry = { type,
				       (uint32_t)(first_size + second_size) };

	fwrite(&entry, sizeof(entry), 1, capture.to);
	fwrite(first, first_size, 1, capture.to);
	if (second_size)
		fwrite(second, second_size, 1, capture.to);
}

void copse_capture_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
			const CUpti_CallbackData *data, uint64_t site)
{
	const int *code = data->functionReturnValue;
	const char *name = data->functionName ? data->functionName : "";
	struct capture_call call = {
		.site = site,
		.thread = (uint32_t)gettid(),
		.domain = domain,
		.id = id,
		.correlation = data->correlationId,
		.leaves = data->callbackSite == CUPTI_API_EXIT,
	};
	struct timespec now;

	if (call.leaves && code)
		call.code = *code;
	clock_gettime(CLOCK_MONOTONIC, &now);
	call.ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	pthread_once(&capture.once, open_capture);
	pthread_mutex_lock(&capture.lock);
	if (capture.to)
		put_capture(CAPTURE_CALL, &call, sizeof(call), name,
			    strlen(name));
	pthread_mutex_unlock(&capture.lock);
}

/* Bytes of a record that are kept; 0: of another kind than we ask for. */
static size_t capture_record_size(CUpti_ActivityKind kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return sizeof(CUpti_ActivityKernel9);
	case CUPTI_ACTIVITY_KIND_MEMCPY:
		return sizeof(CUpti_ActivityMemcpy5);
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
		return sizeof(CUpti_ActivityMemcpyPtoP4);
	case CUPTI_ACTIVITY_KIND_MEMSET:
		return sizeof(CUpti_ActivityMemset4);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return sizeof(CUpti_ActivityGraphTrace);
	case CUPTI_ACTIVITY_KIND_MEMORY2:
		return sizeof(CUpti_ActivityMemory3);
	case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
		return sizeof(CUpti_ActivityUnifiedMemoryCounter2);
	default:
		return 0;
	}
}

static void put_captured_text(const char *text)
{
	size_t i = ((uintptr_t)text * 0x9e3779b97f4a7c15u >> 40) % POINTERS;

	if (!text || capture.written[i] == text)
		return;
	capture.written[i] = text;
	put_capture(CAPTURE_TEXT, &text, sizeof(text), text, strlen(text));
}

void copse_capture_record(const CUpti_Activity *record)
{
	size_t size = capture_record_size(record->kind);

	if (!size)
		return;
	pthread_once(&capture.once, open_capture);
	pthread_mutex_lock(&capture.lock);
	if (capture.to) {
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			put_captured_text(
				((const CUpti_ActivityKernel9 *)record)->name);
		put_capture(CAPTURE_RECORD, record, size, NULL, 0);
	}
	pthread_mutex_unlock(&capture.lock);
}
