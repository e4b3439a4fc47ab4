/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvtx.c - ranges that a program pushes and pops with NVTX are phases; those
 * that it starts and ends are counted when that is asked for.  NVTX 3 loads
 * this library by itself (NVTX_INJECTION64_PATH), with or without CUDA, and has
 * its functions filled in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <nvtx3/nvToolsExt.h>

#include "collect/regions/range.h"
#include "copse.h"

enum {
	NAME_MOST = 256
};

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
	__attribute__((visibility("default")));

/* The thread's open ranges, which NVTX wants told. */
static __thread int level;

static const char *range_name(const char *name)
{
	return name && *name ? name : "[range without a name]";
}

static int push_nvtx(const char *name)
{
	copse_begin(range_name(name));
	return level++;
}

static int pop_nvtx(void)
{
	copse_end(NULL);
	return level ? --level : 0;
}

/* What is not ASCII is a '?'. */
static char *narrow_name(const wchar_t *wide, char to[NAME_MOST])
{
	size_t n = 0;

	for (; wide && wide[n] && n < NAME_MOST - 1; n++)
		to[n] = wide[n] > 0 && wide[n] < 128 ? (char)wide[n] : '?';
	to[n] = 0;
	return to;
}

/* The text of an event; `room` for one that is not ASCII. */
static const char *text_of_event(const nvtxEventAttributes_t *event,
				 char room[NAME_MOST])
{
	if (!event)
		return NULL;
	switch (event->messageType) {
	case NVTX_MESSAGE_TYPE_ASCII:
		return event->message.ascii;
	case NVTX_MESSAGE_TYPE_UNICODE:
		return narrow_name(event->message.unicode, room);
	case NVTX_MESSAGE_TYPE_REGISTERED:
		return (const char *)event->message.registered;
	default:
		return NULL;
	}
}

static int NVTX_API push_text(const char *name)
{
	return push_nvtx(name);
}

static int NVTX_API push_wide(const wchar_t *name)
{
	char text[NAME_MOST];

	return push_nvtx(narrow_name(name, text));
}

static int NVTX_API push_event(const nvtxEventAttributes_t *event)
{
	char text[NAME_MOST];

	return push_nvtx(text_of_event(event, text));
}

static int NVTX_API pop_range(void)
{
	return pop_nvtx();
}

/* Ranges of all domains nest in one another, as they come. */
static int NVTX_API push_in_domain(nvtxDomainHandle_t domain,
				   const nvtxEventAttributes_t *event)
{
	(void)domain;
	return push_event(event);
}

static int NVTX_API pop_in_domain(nvtxDomainHandle_t domain)
{
	(void)domain;
	return pop_nvtx();
}

/* Ranges that may end in any order, on any thread. */

static nvtxRangeId_t NVTX_API start_text(const char *name)
{
	return copse_range_start(range_name(name));
}

static nvtxRangeId_t NVTX_API start_wide(const wchar_t *name)
{
	char text[NAME_MOST];

	return copse_range_start(range_name(narrow_name(name, text)));
}

static nvtxRangeId_t NVTX_API
start_nvtx_event(const nvtxEventAttributes_t *event)
{
	char text[NAME_MOST];

	return copse_range_start(range_name(text_of_event(event, text)));
}

static nvtxRangeId_t NVTX_API
start_in_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
	(void)domain;
	return start_nvtx_event(event);
}

static void NVTX_API end_range(nvtxRangeId_t id)
{
	copse_range_end(id);
}

static void NVTX_API end_in_domain(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
	(void)domain;
	copse_range_end(id);
}

/* A handle is the text: kept for the life of the process. */
static nvtxStringHandle_t NVTX_API register_text(nvtxDomainHandle_t domain,
						 const char *text)
{
	(void)domain;
	return (nvtxStringHandle_t)strdup(text ? text : "");
}

static nvtxStringHandle_t NVTX_API register_wide(nvtxDomainHandle_t domain,
						 const wchar_t *wide)
{
	char text[NAME_MOST];

	return register_text(domain, narrow_name(wide, text));
}

/*
 * Ranges that come with data, of an extension that has an interface of its own;
 * NCCL ends with data what it began without.  Not all headers have it: it is
 * nvtxExtTypes.h's, and numbers of nvToolsExtPayload.h.
 */
enum {
	PAYLOAD_MODULE = 2,
	PAYLOAD_PUSH = 3,
	PAYLOAD_POP,
	PAYLOAD_START,
	PAYLOAD_END
};

struct extension {
	uint16_t nvtx, size, module, compatible;
	size_t segment_count;
	struct {
		size_t number, slot_count;
		intptr_t *slots;
	} * segments;
};

int InitializeInjectionNvtxExtension(struct extension *extension)
	__attribute__((visibility("default")));

static int push_with_data(nvtxDomainHandle_t domain, const void *data,
			  size_t count)
{
	(void)domain;
	(void)data;
	(void)count;
	return push_nvtx(NULL);
}

static int pop_with_data(nvtxDomainHandle_t domain, const void *data,
			 size_t count)
{
	(void)data;
	(void)count;
	return pop_in_domain(domain);
}

static nvtxRangeId_t start_with_data(nvtxDomainHandle_t domain,
				     const void *data, size_t count)
{
	(void)domain;
	(void)data;
	(void)count;
	return start_text(NULL);
}

static void end_with_data(nvtxDomainHandle_t domain, nvtxRangeId_t id,
			  const void *data, size_t count)
{
	(void)data;
	(void)count;
	end_in_domain(domain, id);
}

/* Of other extensions nothing is filled in, which is no failure. */
int InitializeInjectionNvtxExtension(struct extension *extension)
{
	intptr_t *slots;

	if (extension->module != PAYLOAD_MODULE || !extension->segment_count ||
	    extension->segments->slot_count <= PAYLOAD_END)
		return 1;
	slots = extension->segments->slots;
	slots[PAYLOAD_PUSH] = (intptr_t)push_with_data;
	slots[PAYLOAD_POP] = (intptr_t)pop_with_data;
	if (copse_ranges_wanted()) {
		slots[PAYLOAD_START] = (intptr_t)start_with_data;
		slots[PAYLOAD_END] = (intptr_t)end_with_data;
	}
	return 1;
}

struct nvtx_function {
	NvtxCallbackModule module;
	unsigned int id;
	NvtxFunctionPointer function;
};
#define CORE(id_, function_)                                                   \
	{                                                                      \
		NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_##id_,                     \
			(NvtxFunctionPointer)(function_)                       \
	}
#define DOMAIN(id_, function_)                                                 \
	{                                                                      \
		NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_##id_,                   \
			(NvtxFunctionPointer)(function_)                       \
	}
static const struct nvtx_function functions[] = {
	CORE(RangePushA, push_text),
	CORE(RangePushW, push_wide),
	CORE(RangePushEx, push_event),
	CORE(RangePop, pop_range),
	DOMAIN(DomainRangePushEx, push_in_domain),
	DOMAIN(DomainRangePop, pop_in_domain),
	DOMAIN(DomainRegisterStringA, register_text),
	DOMAIN(DomainRegisterStringW, register_wide),
};

/* On request. */
static const struct nvtx_function start_end[] = {
	CORE(RangeStartA, start_text),
	CORE(RangeStartW, start_wide),
	CORE(RangeStartEx, start_nvtx_event),
	CORE(RangeEnd, end_range),
	DOMAIN(DomainRangeStartEx, start_in_domain),
	DOMAIN(DomainRangeEnd, end_in_domain),
};

static void fill_in_callbacks(const NvtxExportTableCallbacks *callbacks,
			      const struct nvtx_function *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		NvtxFunctionTable table = NULL;
		unsigned int size = 0;

		if (callbacks->GetModuleFunctionTable(from[i].module, &table,
						      &size) &&
		    table && from[i].id < size)
			*table[from[i].id] = from[i].function;
	}
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
	const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);

	if (!callbacks || !callbacks->GetModuleFunctionTable)
		return 0;
	fill_in_callbacks(callbacks, functions,
			  sizeof(functions) / sizeof(*functions));
	if (copse_ranges_wanted())
		fill_in_callbacks(callbacks, start_end,
				  sizeof(start_end) / sizeof(*start_end));
	return 1;
}
