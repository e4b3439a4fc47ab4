/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profiler.c - a profiler plugin for NCCL (NCCL_PROFILER_PLUGIN): it tells the
 * collector which collective call, or which messages, the launch was for that
 * the thread made last.
 * NCCL announces calls on the thread that launched their kernel, right after
 * the launch; those of a captured graph on a thread of the driver, which has
 * launched nothing: they are not known.
 *
 * NCCL asks for the newest version of the interface that it knows, as far as
 * the plugin has it: ncclProfiler_v2 of NCCL 2.24, v3 of 2.26, v4 of 2.27, v5
 * of 2.28 and later ones.
 * Source: NVIDIA, NCCL, src/include/plugin/profiler/profiler_v*.h.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hidden.h"
#include "collect/gpu/gpu-collectives.h"
#include "live/layout.h"

enum {
	NCCL_SUCCESS = 0,
	EVENT_COLLECTIVE = 1 << 1, /* ncclProfileColl */
	EVENT_MESSAGE = 1 << 2     /* ncclProfileP2p */
};

struct nccl_comm {
	uint64_t id;
	uint32_t size, rank;
};

/* What the versions' descriptors have alike. */
struct nccl_call {
	uint64_t number;
	const char *function;
	const void *send, *receive;
	size_t count;
	int root;
	const char *type;
};

struct nccl_message {
	const char *function;
	void *buffer;
	const char *type;
	size_t count;
	int peer;
};

/* What an event is about. */
union nccl_subject {
	struct nccl_call call;
	struct nccl_message message;
};

/* The type of an event has 8 bits up to version 4, and the same place. */
struct nccl_event {
	uint64_t type;
	void *parent;
	int rank;
	union {
		struct { /* versions 2 and 3 */
			const char *comm_name;
			uint64_t comm;
			union nccl_subject of;
		} before_4;
		union nccl_subject of;
	};
};

static uint32_t find_nccl_function(const char *word)
{
	static const char *const words[] = {
#define COLLECTIVE(id, word, ...) word,
#include "base/collectives.def"
#undef COLLECTIVE
	};

	for (uint32_t i = 1; i < LIVE_COLLECTIVES && word; i++)
		if (!strcmp(words[i], word))
			return i;
	return LIVE_COLLECTIVE_OTHER;
}

/* "ncclBfloat16": 2. */
static uint64_t bytes_of_type(const char *name)
{
	size_t before = name ? strcspn(name, "0123456789") : 0;

	return name && name[before] ? (uint64_t)atoi(name + before) / 8 : 1;
}

static void tell_collective(const struct nccl_comm *c,
			    const struct nccl_call *of)
{
	const struct gpu_collective call = {
		.comm = c->id,
		.number = of->number,
		.bytes = of->count * bytes_of_type(of->type),
		.function = find_nccl_function(of->function),
		.size = c->size,
		.rank = c->rank,
	};

	copse_gpu_collective(&call);
}

static void tell_message(const struct nccl_comm *c,
			 const struct nccl_message *of)
{
	bool sends = of->function && !strcmp(of->function, "Send");
	const struct gpu_collective call = {
		.comm = c->id,
		.bytes = of->count * bytes_of_type(of->type),
		.function =
			sends ? LIVE_COLLECTIVE_SEND : LIVE_COLLECTIVE_RECEIVE,
		.size = c->size,
		.rank = c->rank,
	};

	copse_gpu_message(&call, (uint32_t)of->peer);
}

static void tell_event(const struct nccl_comm *c, uint64_t type,
		       const union nccl_subject *of)
{
	if (type == EVENT_COLLECTIVE)
		tell_collective(c, &of->call);
	else if (type == EVENT_MESSAGE)
		tell_message(c, &of->message);
}

static int begin_event_before_4(void *context, void **handle,
				const struct nccl_event *event)
{
	const struct nccl_comm c = { event->before_4.comm, 0,
				     (uint32_t)event->rank };

	*handle = NULL;
	if (context)
		tell_event(&c, (uint8_t)event->type, &event->before_4.of);
	return NCCL_SUCCESS;
}

static int begin_event(void *context, void **handle,
		       const struct nccl_event *event)
{
	*handle = NULL;
	if (context)
		tell_event(context, (uint8_t)event->type, &event->of);
	return NCCL_SUCCESS;
}

/* From version 5 on the type has more bits than 8. */
static int begin_event_5(void *context, void **handle,
			 const struct nccl_event *event)
{
	*handle = NULL;
	if (context)
		tell_event(context, event->type, &event->of);
	return NCCL_SUCCESS;
}

/* Without memory nothing is told. */
static int open_communicator(void **context, int *wanted, uint64_t id, int size,
			     int rank)
{
	struct nccl_comm *c = calloc(1, sizeof(*c));

	*context = c;
	*wanted = c ? EVENT_COLLECTIVE | EVENT_MESSAGE : 0;
	if (!c)
		return NCCL_SUCCESS;
	*c = (struct nccl_comm){ id, (uint32_t)size, (uint32_t)rank };
	copse_gpu_communicator(id, c->size, c->rank);
	return NCCL_SUCCESS;
}

static int init_before_4(void **context, int *wanted)
{
	return open_communicator(context, wanted, 0, 0, 0);
}

static int init_4(void **context, int *wanted, const char *name, uint64_t id,
		  int nodes, int size, int rank, void *log)
{
	(void)name;
	(void)nodes;
	(void)log;
	return open_communicator(context, wanted, id, size, rank);
}

static int init_5(void **context, uint64_t id, int *wanted, const char *name,
		  int nodes, int size, int rank, void *log)
{
	return init_4(context, wanted, name, id, nodes, size, rank, log);
}

static int end_nccl_event(void *handle)
{
	(void)handle;
	return NCCL_SUCCESS;
}

static int record_state(void *handle, int state, void *arguments)
{
	(void)handle;
	(void)state;
	(void)arguments;
	return NCCL_SUCCESS;
}

static int close_communicator(void *context)
{
	free(context);
	return NCCL_SUCCESS;
}

#define PROFILER(version, init_, begin_)                                       \
	extern const struct profiler_##version {                               \
		const char *name;                                              \
		__typeof__(init_) *init;                                       \
		__typeof__(begin_) *begin;                                     \
		__typeof__(end_nccl_event) *end;                               \
		__typeof__(record_state) *record;                              \
		__typeof__(close_communicator) *finalize;                      \
	} ncclProfiler_##version;                                              \
	PUBLIC const struct profiler_##version ncclProfiler_##version = {      \
		"copse",        init_,        begin_,                          \
		end_nccl_event, record_state, close_communicator               \
	};

PROFILER(v2, init_before_4, begin_event_before_4)
PROFILER(v3, init_before_4, begin_event_before_4)
PROFILER(v4, init_4, begin_event)
PROFILER(v5, init_5, begin_event_5)
