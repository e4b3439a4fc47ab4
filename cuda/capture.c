/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.c - what CUPTI said, in a file. */
#include "cuda/capture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/gpu/gpu.h"

enum {
	POINTERS = 4096
};

/* Mutable: one file for the process; NULL: nothing is captured. */
static struct {
	pthread_mutex_t lock;
	FILE *to;
	const char *told[POINTERS]; /* by the pointer's hash */
} capture = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool capture_open;

void capture_begin(void)
{
	const char *path = secure_getenv("COPSE_GPU_CAPTURE");

	capture.to = path && *path ? fopen(path, "wxe") : NULL;
	if (capture.to)
		fputs(CAPTURE_MAGIC, capture.to);
	__atomic_store_n(&capture_open, capture.to, __ATOMIC_RELAXED);
}

void capture_end(void)
{
	pthread_mutex_lock(&capture.lock);
	if (capture.to)
		fclose(capture.to);
	capture.to = NULL;
	__atomic_store_n(&capture_open, false, __ATOMIC_RELAXED);
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

void capture_call(CUpti_CallbackDomain domain, CUpti_CallbackId id,
		  const CUpti_CallbackData *data, uint64_t site)
{
	const int *code = data->functionReturnValue;
	struct capture_call call = {
		.site = site,
		.domain = domain,
		.id = id,
		.correlation = data->correlationId,
		.leaves = data->callbackSite == CUPTI_API_EXIT,
	};

	if (!capture.to)
		return;
	call.thread = (uint32_t)gettid();
	if (call.leaves && code)
		call.code = *code;
	call.ns = copse_gpu_now();
	pthread_mutex_lock(&capture.lock);
	if (capture.to)
		put_capture(
			CAPTURE_CALL, &call, sizeof(call), data->functionName,
			data->functionName ? strlen(data->functionName) : 0);
	pthread_mutex_unlock(&capture.lock);
}

size_t capture_record_size(CUpti_ActivityKind kind)
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

	if (!text || capture.told[i] == text)
		return;
	capture.told[i] = text;
	put_capture(CAPTURE_TEXT, &text, sizeof(text), text, strlen(text));
}

void capture_record(const CUpti_Activity *record)
{
	size_t size = capture_record_size(record->kind);

	if (!capture.to || !size)
		return;
	pthread_mutex_lock(&capture.lock);
	if (capture.to) {
		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			put_captured_text(
				((const CUpti_ActivityKernel9 *)record)->name);
		put_capture(CAPTURE_RECORD, record, size, NULL, 0);
	}
	pthread_mutex_unlock(&capture.lock);
}
