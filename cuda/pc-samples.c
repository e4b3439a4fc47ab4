/* SPDX-License-Identifier: BSD-3-Clause */
/* pc-samples.c - see pc-samples.h. */
#include "cuda/pc-samples.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/gpu/gpu-pcs.h"
#include "collect/gpu/gpu.h"
#include "collect/lock.h"
#include "cuda/cubins.h"
#include "cuda/device.h"

enum {
	DEVICES = 32,
	PCS = 2048,      /* of one answer of CUPTI's */
	REASONS = 128,   /* what a warp may wait for: a H100 has some 40 */
	TURNS = 256,     /* answers at once, at most */
	PATIENCE = 1000, /* ms */
	SPAN = 100,      /* ms, in which CUPTI's threads look at the GPU */
	LATE = 250,      /* ms: two of these, and what decoding takes */
	FUNCTIONS = 32768,
	/* CUPTI's own is 512 MiB, of the program's GPU memory */
	HARDWARE_BUFFER = 128 << 20,
};

/* What a reason of CUPTI's counts; before: enum live_stall. */
enum {
	UNISSUED = LIVE_STALLS,
	NOTHING
};

enum device_state {
	FREE,
	IDLE,
	USED,
};

struct sampled {
	int state; /* enum device_state, atomic */
	CUcontext context;
	struct claim claim;       /* of the device */
	bool broken;              /* CUPTI failed, and tells nothing more */
	CUpti_PCSamplingData own; /* what CUPTI puts there by itself */
	CUpti_PCSamplingData answer;
	CUpti_PCSamplingStallReason *room; /* of both */
	CUpti_PCSamplingPCData *pcs;
	uint64_t asked;          /* when all there was had been told */
	bool _Atomic gone;       /* its context, while it was in use */
	uint32_t index[REASONS]; /* of what CUPTI tells: it may not copy it */
	uint8_t counts[REASONS]; /* by CUPTI's index */
	size_t reasons;
};

/*
 * Mutable: the context that is sampled of each device, and the names of
 * functions.  Of two on a device no call of CUPTI 13.0's fails, but the
 * program's own launches do; of two processes' see device_claim().
 */
static struct {
	bool wanted;
	uint32_t period;
	struct sampled devices[DEVICES];
	struct lock lock; /* of what follows */
	struct sampled_function {
		uint64_t cubin;
		uint32_t index;
		struct region_name *name; /* NULL: it is free */
	} * functions;
	size_t count;
} samples;

static bool occupy_slot(struct sampled *s, enum device_state state)
{
	int from = (int)state;

	return __atomic_compare_exchange_n(&s->state, &from, USED, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool is_free_buffer(const struct sampled *s)
{
	return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == FREE;
}

static void release_device(struct sampled *s, enum device_state to)
{
	__atomic_store_n(&s->state, (int)to, __ATOMIC_RELEASE);
}

/* What was told */

static struct region_name *new_function_name(const char *text)
{
	struct region_name *name = calloc(1, sizeof(*name));
	char *copy = strdup(text ? text : "[function without a name]");

	if (!name || !copy) {
		free(name);
		free(copy);
		return NULL;
	}
	name->text = copy;
	name->class = LIVE_NAME_KERNEL;
	return name;
}

static bool is_sampled_function(const struct sampled_function *f,
				const CUpti_PCSamplingPCData *pc)
{
	return f->cubin == pc->cubinCrc && f->index == pc->functionIndex &&
	       (!pc->functionName || !strcmp(f->name->text, pc->functionName));
}

static struct sampled_function *
place_of_function(const CUpti_PCSamplingPCData *pc)
{
	uint64_t hash =
		(pc->cubinCrc ^ pc->functionIndex) * 0x9e3779b97f4a7c15u;

	for (size_t at = (size_t)(hash >> 40);; at++) {
		struct sampled_function *f = &samples.functions[at % FUNCTIONS];

		if (!f->name || is_sampled_function(f, pc))
			return f;
	}
}

/* For the life of the process; NULL: no memory. */
static struct region_name *
sampled_function_name(const CUpti_PCSamplingPCData *pc)
{
	struct region_name *name = NULL;
	struct sampled_function *f;

	lock_take(&samples.lock);
	f = place_of_function(pc);
	if (!f->name && samples.count < FUNCTIONS / 2) {
		*f = (struct sampled_function){ pc->cubinCrc, pc->functionIndex,
						new_function_name(
							pc->functionName) };
		samples.count += f->name != NULL;
	}
	name = f->name;
	lock_give(&samples.lock);
	return name;
}

static void count_stalls(struct live_pc *to, uint64_t *sum,
			 const struct sampled *s,
			 const CUpti_PCSamplingStallReason *reason)
{
	uint32_t what = reason->pcSamplingStallReasonIndex < REASONS
				? s->counts[reason->pcSamplingStallReasonIndex]
				: NOTHING;

	if (what == UNISSUED) {
		to->unissued += reason->samples;
	} else if (what < LIVE_STALLS) {
		to->stalls[what] += reason->samples;
		*sum += reason->samples;
	}
}

static void count_lost_samples(enum loss why, uint64_t count)
{
	if (count)
		copse_gpu_lost(why, count);
}

static void take_sampled_pc(const struct sampled *s,
			    const CUpti_PCSamplingPCData *pc, bool counted)
{
	struct live_pc to = { .function = pc->functionIndex,
			      .cubin = pc->cubinCrc,
			      .pc = pc->pcOffset };
	struct region_name *name;
	uint64_t sum = 0;

	for (size_t i = 0; i < pc->stallReasonCount && i < s->reasons; i++)
		count_stalls(&to, &sum, s, &pc->stallReason[i]);
	if (!sum && !to.unissued)
		return;
	if (!counted) {
		count_lost_samples(LOSS_GPU_PC_PAUSED, sum);
		return;
	}
	name = sampled_function_name(pc);
	if (!name) {
		copse_gpu_lost(LOSS_GPU_PC_FULL, sum);
		return;
	}
	cubins_sampled(pc->cubinCrc);
	copse_gpu_pc(name, &to);
}

/*
 * Nothing was paused while it was sampled: the earliest of what is told now
 * came when CUPTI was asked before, and may have been on its way to CUPTI then.
 */
static bool is_sampling_counted(const struct sampled *s)
{
	uint64_t since = copse_gpu_measured_since();

	return !since ||
	       (since < s->asked && s->asked - since > LATE * 1000000u);
}

static void add_sampled_data(const struct sampled *s,
			     CUpti_PCSamplingData *data)
{
	bool counted = is_sampling_counted(s);

	for (size_t i = 0; i < data->totalNumPcs && i < PCS; i++)
		take_sampled_pc(s, &data->pPcData[i], counted);
	if (counted) {
		count_lost_samples(LOSS_GPU_PC_DROPPED, data->droppedSamples);
		count_lost_samples(LOSS_GPU_PC_FOREIGN,
				   data->nonUsrKernelsTotalSamples);
		count_lost_samples(LOSS_GPU_PC_OVERFLOW,
				   data->hardwareBufferFull);
	}
	data->totalNumPcs = 0;
	data->droppedSamples = data->nonUsrKernelsTotalSamples = 0;
	data->hardwareBufferFull = 0;
}

/* What CUPTI has put into its own buffer comes with its answers, too. */
static void fetch_all_samples(struct sampled *s)
{
	CUpti_PCSamplingGetDataParams params = {
		.size = CUpti_PCSamplingGetDataParamsSize,
		.ctx = s->context,
		.pcSamplingData = &s->answer,
	};
	CUptiResult err = CUPTI_SUCCESS;
	uint64_t begun = copse_gpu_now();
	bool more = true;

	for (int i = 0; i < TURNS && more && !err && !s->broken; i++) {
		err = cupti.PCSamplingGetData(&params);
		if (err == CUPTI_ERROR_OUT_OF_MEMORY)
			s->answer.hardwareBufferFull = 1;
		add_sampled_data(s, &s->answer);
		more = s->answer.remainingNumPcs != 0;
	}
	if (err && err != CUPTI_ERROR_OUT_OF_MEMORY) {
		s->broken = true;
		copse_gpu_lost(LOSS_GPU_PC_BROKEN, 1);
	}
	if (!more)
		s->asked = begun;
}

/* A context begins */

/* "smsp__pcsamp_warps_issue_stalled_long_scoreboard", and "…_not_issued" */
static uint8_t stall_meaning(const char *name)
{
	static const struct {
		const char *name;
		enum live_stall stall;
	} reasons[] = {
#define REASON(name, id) { name, LIVE_STALL_##id },
#include "live/stalls.def"
	};
	static const char before[] = "issue_stalled_", not [] = "_not_issued";
	const char *at = strstr(name, before);
	size_t size;

	if (!at)
		return NOTHING;
	at += sizeof(before) - 1;
	size = strlen(at);
	if (size >= sizeof(not ) &&
	    !strcmp(at + size - (sizeof(not ) - 1), not ))
		return UNISSUED;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(at, reasons[i].name))
			return (uint8_t)reasons[i].stall;
	return LIVE_STALL_OTHER;
}

struct reasons {
	char *name[REASONS];
	char texts[REASONS][CUPTI_STALL_REASON_STRING_SIZE];
	size_t count;
};

static CUptiResult ask_reasons(struct sampled *s, struct reasons *r)
{
	CUpti_PCSamplingGetNumStallReasonsParams number = {
		.size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
		.ctx = s->context,
		.numStallReasons = &r->count,
	};
	CUpti_PCSamplingGetStallReasonsParams names = {
		.size = CUpti_PCSamplingGetStallReasonsParamsSize,
		.ctx = s->context,
		.stallReasonIndex = s->index,
		.stallReasons = r->name,
	};
	CUptiResult err = cupti.PCSamplingGetNumStallReasons(&number);

	if (err)
		return err;
	if (!r->count || r->count > REASONS)
		return CUPTI_ERROR_NOT_SUPPORTED;
	for (size_t i = 0; i < r->count; i++)
		r->name[i] = r->texts[i];
	names.numStallReasons = r->count;
	err = cupti.PCSamplingGetStallReasons(&names);
	memset(s->counts, NOTHING, sizeof(s->counts));
	for (size_t i = 0; i < r->count && !err; i++)
		if (s->index[i] < REASONS)
			s->counts[s->index[i]] = stall_meaning(r->name[i]);
	s->reasons = r->count;
	return err;
}

static CUpti_PCSamplingData data_of(struct sampled *s, size_t first)
{
	for (size_t i = first; i < first + PCS; i++)
		s->pcs[i] = (CUpti_PCSamplingPCData){
			.size = sizeof(*s->pcs),
			.stallReason = &s->room[i * s->reasons],
		};
	return (CUpti_PCSamplingData){ .size = sizeof(CUpti_PCSamplingData),
				       .collectNumPcs = PCS,
				       .pPcData = &s->pcs[first] };
}

static CUptiResult make_sample_room(struct sampled *s)
{
	s->pcs = calloc(2 * PCS, sizeof(*s->pcs));
	s->room = calloc(2 * PCS * s->reasons, sizeof(*s->room));
	if (!s->pcs || !s->room)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	s->own = data_of(s, 0);
	s->answer = data_of(s, PCS);
	return CUPTI_SUCCESS;
}

static CUptiResult configure_sampling(struct sampled *s)
{
#define ATTRIBUTE(type, member, ...)                                           \
	{ .attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_##type,   \
	  .attributeData.member = __VA_ARGS__ }
	CUpti_PCSamplingConfigurationInfo attributes[] = {
		ATTRIBUTE(COLLECTION_MODE, collectionModeData,
			  { CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS }),
		ATTRIBUTE(STALL_REASON, stallReasonData,
			  { s->reasons, s->index }),
		ATTRIBUTE(SAMPLING_DATA_BUFFER, samplingDataBufferData,
			  { &s->own }),
		ATTRIBUTE(HARDWARE_BUFFER_SIZE, hardwareBufferSizeData,
			  { HARDWARE_BUFFER }),
		ATTRIBUTE(WORKER_THREAD_PERIODIC_SLEEP_SPAN,
			  workerThreadPeriodicSleepSpanData, { SPAN }),
		ATTRIBUTE(SAMPLING_PERIOD, samplingPeriodData,
			  { samples.period < 5 ? 5 : samples.period }),
	};
#undef ATTRIBUTE
	CUpti_PCSamplingConfigurationInfoParams params = {
		.size = CUpti_PCSamplingConfigurationInfoParamsSize,
		.ctx = s->context,
		.numAttributes = sizeof(attributes) / sizeof(*attributes) -
				 (samples.period == 0),
		.pPCSamplingConfigurationInfo = attributes,
	};

	return cupti.PCSamplingSetConfigurationAttribute(&params);
}

/*
 * Never while another thread may launch into the context: CUPTI holds a lock of
 * its own here and waits for the context's, a launch the other way round.
 * PCSamplingStart() and PCSamplingStop() do the same, and are not called at
 * all.
 */
static bool disable_sampling(const struct sampled *s)
{
	CUpti_PCSamplingDisableParams params = {
		.size = CUpti_PCSamplingDisableParamsSize,
		.ctx = s->context,
	};

	return !cupti.PCSamplingDisable(&params);
}

/* What CUPTI may still write to is not freed. */
static void forget_sampled(struct sampled *s, bool disabled)
{
	if (disabled) {
		free(s->pcs);
		free(s->room);
	}
	s->pcs = NULL;
	s->room = NULL;
	device_unclaim(&s->claim);
	release_device(s, FREE);
}

enum { /* of CUPTI's results, by their numbers: CUDA 12.4 has no names */
	MIG_NOT_SUPPORTED = 43,
	SLI_NOT_SUPPORTED = 44,
	WSL_NOT_SUPPORTED = 45,
};

static enum loss sampling_loss(CUptiResult err)
{
	switch ((int)err) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		return LOSS_GPU_PC_FORBIDDEN;
	case CUPTI_ERROR_HARDWARE_BUSY:
	case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
	case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
		return LOSS_GPU_PC_TAKEN;
	case CUPTI_ERROR_NOT_SUPPORTED:
	case CUPTI_ERROR_NOT_COMPATIBLE:
	case CUPTI_ERROR_API_NOT_IMPLEMENTED:
	case CUPTI_ERROR_INVALID_DEVICE:
	case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
	case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
	case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
	case MIG_NOT_SUPPORTED:
	case SLI_NOT_SUPPORTED:
	case WSL_NOT_SUPPORTED:
		return LOSS_GPU_PC_UNKNOWN;
	default:
		return LOSS_GPU_PC_REFUSED;
	}
}

static CUptiResult set_up_sampling(struct sampled *s)
{
	struct reasons *r = calloc(1, sizeof(*r));
	CUptiResult err = r ? ask_reasons(s, r) : CUPTI_ERROR_OUT_OF_MEMORY;

	if (!err)
		err = make_sample_room(s);
	if (!err)
		err = configure_sampling(s);
	s->gone = false;
	free(r);
	return err;
}

static void begin_context(CUcontext context)
{
	CUpti_PCSamplingEnableParams params = {
		.size = CUpti_PCSamplingEnableParamsSize,
		.ctx = context,
	};
	uint32_t device = 0;
	struct sampled *s;
	CUptiResult err;
	bool enabled;

	if (cupti.GetDeviceId(context, &device) || device >= DEVICES) {
		copse_gpu_lost(LOSS_GPU_PC_REFUSED, 1);
		return;
	}
	s = &samples.devices[device];
	if (!occupy_slot(s, FREE)) {
		copse_gpu_lost(LOSS_GPU_PC_BESIDE, 1);
		return;
	}
	if (!device_claim(device, &s->claim)) {
		copse_gpu_lost(LOSS_GPU_PC_BESIDE, 1);
		release_device(s, FREE);
		return;
	}
	s->context = context;
	s->broken = false;
	s->asked = copse_gpu_now();
	err = cupti.PCSamplingEnable(&params);
	enabled = !err;
	if (enabled)
		err = set_up_sampling(s);
	if (!err) {
		release_device(s, IDLE);
		return;
	}
	copse_gpu_lost(sampling_loss(err), 1);
	forget_sampled(s, !enabled || disable_sampling(s));
}

/* It ends */

/* What came last is put into CUPTI's own buffer when it is disabled. */
static void end_sampled(struct sampled *s)
{
	bool disabled;

	fetch_all_samples(s);
	disabled = disable_sampling(s);
	add_sampled_data(s, &s->own);
	count_lost_samples(LOSS_GPU_PC_LEFT, s->own.remainingNumPcs != 0);
	forget_sampled(s, disabled);
}

static void end_sampling(struct sampled *s)
{
	bool ours = occupy_slot(s, IDLE);

	for (int i = 0; i < PATIENCE && !ours; i++) {
		usleep(1000);
		ours = occupy_slot(s, IDLE);
	}
	if (ours)
		end_sampled(s);
	else
		s->gone = true;
	count_lost_samples(LOSS_GPU_PC_LEFT, !ours);
}

static void end_sampling_of(CUcontext context)
{
	for (size_t i = 0; i < DEVICES; i++) {
		struct sampled *s = &samples.devices[i];

		if (!is_free_buffer(s) && s->context == context)
			end_sampling(s);
	}
}

static void follow_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
		begin_context(data->context);
	else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		end_sampling_of(data->context);
	else
		cubins_loaded(data->resourceDescriptor);
}

void pc_samples_resource(CUpti_CallbackId id, const CUpti_ResourceData *data)
{
	bool before = copse_gpu_call.own;
	uint64_t begun;

	if (!samples.wanted ||
	    (id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED &&
	     id != CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING &&
	     id != CUPTI_CBID_RESOURCE_MODULE_LOADED))
		return;
	begun = copse_gpu_now();
	copse_gpu_call.own = true;
	follow_resource(id, data);
	copse_gpu_call.own = before;
	copse_gpu_sampling_cost(copse_gpu_now() - begun);
}

/* Whether any context is sampled. */
static bool take_contexts(void)
{
	bool any = false;

	for (size_t i = 0; i < DEVICES; i++) {
		struct sampled *s = &samples.devices[i];

		if (is_free_buffer(s) || !occupy_slot(s, IDLE))
			continue;
		if (s->gone) { /* CUPTI may still know its buffers */
			device_unclaim(&s->claim);
			release_device(s, FREE);
			continue;
		}
		fetch_all_samples(s);
		any = true;
		release_device(s, IDLE);
	}
	return any;
}

static bool take_samples(void)
{
	uint64_t begun = copse_gpu_now();
	bool any = take_contexts();

	copse_gpu_sampling_cost(copse_gpu_now() - begun);
	return any;
}

void pc_samples_take(void)
{
	if (samples.wanted)
		take_samples();
}

void pc_samples_forked(void)
{
	for (size_t i = 0; i < DEVICES && samples.wanted; i++)
		device_unclaim(&samples.devices[i].claim);
}

/* Other threads may still launch: nothing is disabled. */
void pc_samples_end(void)
{
	if (!samples.wanted || !take_samples())
		return;
	usleep(LATE * 1000);
	take_samples();
}

bool pc_samples_wanted(void)
{
	return samples.wanted;
}

void pc_samples_begin(CUpti_SubscriberHandle subscriber)
{
	if (!copse_gpu_sampling(&samples.period))
		return;
	samples.functions = calloc(FUNCTIONS, sizeof(*samples.functions));
	if (!cupti.PCSamplingEnable || !samples.functions) {
		copse_gpu_lost(LOSS_GPU_PC_UNKNOWN, 1);
		return;
	}
	for (size_t i = 0; i < DEVICES; i++)
		samples.devices[i].claim.fd = -1;
	samples.wanted = true;
	cupti.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
			     CUPTI_CBID_RESOURCE_MODULE_LOADED);
}
