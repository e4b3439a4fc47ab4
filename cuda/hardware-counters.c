/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware-counters.c - see hardware-counters.h. */
#include "cuda/hardware-counters.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include "collect/gpu/gpu-counters.h"
#include "collect/gpu/gpu-pcs.h"
#include "collect/gpu/gpu.h"
#include "cuda/activity-records.h"
#include "cuda/flush.h"

enum {
	DEVICES = 16,
	HARDWARE_BUFFER = 32 << 20,
	SPARE = 100,    /* intervals: a burst ends late */
	PAUSE_MS = 100, /* until a pause of the program's is looked at again */
	END_S = 1,      /* of the two that an end in _exit() has */
};

#define KEEP_OLDEST CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST

#define COUNTER_FUNCTIONS(F)                                                   \
	F(DeviceGetChipName)                                                   \
	F(PmSamplingCounterDataGetSampleInfo)                                  \
	F(PmSamplingCounterDataImageInitialize)                                \
	F(PmSamplingDecodeData)                                                \
	F(PmSamplingEnable)                                                    \
	F(PmSamplingGetCounterAvailability)                                    \
	F(PmSamplingGetCounterDataInfo)                                        \
	F(PmSamplingGetCounterDataSize)                                        \
	F(PmSamplingSetConfig)                                                 \
	F(PmSamplingStart)                                                     \
	F(PmSamplingStop)                                                      \
	F(ProfilerHostConfigAddMetrics)                                        \
	F(ProfilerHostEvaluateToGpuValues)                                     \
	F(ProfilerHostGetConfigImage)                                          \
	F(ProfilerHostGetConfigImageSize)                                      \
	F(ProfilerHostGetNumOfPasses)                                          \
	F(ProfilerHostInitialize)                                              \
	F(ProfilerInitialize)

static struct {
#define F(name) __typeof__(&cupti##name) name;
	COUNTER_FUNCTIONS(F)
#undef F
} pm;

/* What CUPTI's functions take: the structure, with its size. */
#define PARAMS(name, ...)                                                      \
	{                                                                      \
		.structSize = CUpti_##name##_Params_STRUCT_SIZE, __VA_ARGS__   \
	}

enum counter_state {
	UNUSED,
	FOUND,
	READ,
	REFUSED,
};

struct counted_gpu {
	int _Atomic state; /* enum counter_state */
	CUpti_PmSampling_Object *sampling;
	CUpti_Profiler_Host_Object *host;
	const char *chip;
	uint8_t *available;
	uint8_t *config, *image;
	size_t config_size, image_size;
	const char *names[GPU_COUNTERS];
	uint8_t counter[GPU_COUNTERS]; /* enum gpu_counter, of each name */
	bool share[GPU_COUNTERS];
	size_t count;
};

/* Mutable: the thread's, but for the states and what the lock guards. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool _Atomic wanted;
	bool begun, runs, ends, done;
	uint64_t period_ns;
	struct counted_gpu gpus[DEVICES];
	uint64_t begun_ns;
	struct gpu_interval *intervals;
	uint32_t most; /* intervals of a burst */
} counters = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
	enum gpu_counter counter;
	bool share;
	const char *name;
} known_names[] = {
#define SHARE                true
#define SUM                  false
#define NAME(id, unit, name) { GPU_COUNTER_##id, unit, name },
#include "cuda/counter-names.def"
#undef NAME
#undef SUM
#undef SHARE
};
#define KNOWN (sizeof(known_names) / sizeof(*known_names))

static bool look_up_counters(void)
{
	CUpti_Profiler_Initialize_Params start = PARAMS(Profiler_Initialize);

#define F(name)                                                                \
	pm.name = (__typeof__(pm.name))cupti_function("cupti" #name);          \
	if (!pm.name)                                                          \
		return false;
	COUNTER_FUNCTIONS(F)
#undef F
	return !pm.ProfilerInitialize(&start);
}

/* Which counters */

static CUpti_Profiler_Host_Object *open_host(const struct counted_gpu *g)
{
	CUpti_Profiler_Host_Initialize_Params open =
		PARAMS(Profiler_Host_Initialize,
		       .profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING,
		       .pChipName = g->chip,
		       .pCounterAvailabilityImage = g->available);

	return pm.ProfilerHostInitialize(&open) ? NULL : open.pHostObject;
}

/* All at once: metrics that are added one by one are of different passes. */
static bool configure_names(struct counted_gpu *g)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params add =
		PARAMS(Profiler_Host_ConfigAddMetrics, .pHostObject = g->host,
		       .ppMetricNames = g->names, .numMetrics = g->count);
	CUpti_Profiler_Host_GetConfigImageSize_Params size = PARAMS(
		Profiler_Host_GetConfigImageSize, .pHostObject = g->host);
	CUpti_Profiler_Host_GetConfigImage_Params get =
		PARAMS(Profiler_Host_GetConfigImage, .pHostObject = g->host);

	if (pm.ProfilerHostConfigAddMetrics(&add) ||
	    pm.ProfilerHostGetConfigImageSize(&size))
		return false;
	free(g->config);
	g->config_size = get.configImageSize = size.configImageSize;
	g->config = get.pConfigImage = calloc(1, g->config_size);
	return g->config && !pm.ProfilerHostGetConfigImage(&get);
}

/*
 * With a host object of its own, as nothing is taken out of one.  There are
 * few: none is closed.
 */
static bool fits_in_a_pass(struct counted_gpu *g)
{
	CUpti_Profiler_Host_GetNumOfPasses_Params passes =
		PARAMS(Profiler_Host_GetNumOfPasses);

	g->host = open_host(g);
	if (!g->host || !configure_names(g))
		return false;
	passes.configImageSize = g->config_size;
	passes.pConfigImage = g->config;
	return !pm.ProfilerHostGetNumOfPasses(&passes) &&
	       passes.numOfPasses == 1;
}

static bool has_counter(const struct counted_gpu *g, enum gpu_counter counter)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->counter[i] == counter)
			return true;
	return false;
}

static void take_counter_name(struct counted_gpu *g, size_t known)
{
	g->names[g->count] = known_names[known].name;
	g->share[g->count] = known_names[known].share;
	g->counter[g->count++] = (uint8_t)known_names[known].counter;
}

static bool is_known_to(CUpti_Profiler_Host_Object *host, const char *name)
{
	CUpti_Profiler_Host_ConfigAddMetrics_Params add =
		PARAMS(Profiler_Host_ConfigAddMetrics, .pHostObject = host,
		       .ppMetricNames = &name, .numMetrics = 1);

	return !pm.ProfilerHostConfigAddMetrics(&add);
}

/* The best name of each; where they do not fit together, one by one. */
static bool choose_names(struct counted_gpu *g)
{
	CUpti_Profiler_Host_Object *host = open_host(g);
	bool known[KNOWN];

	for (size_t i = 0; i < KNOWN; i++) {
		known[i] = host && is_known_to(host, known_names[i].name);
		if (known[i] && !has_counter(g, known_names[i].counter))
			take_counter_name(g, i);
	}
	if (fits_in_a_pass(g))
		return true;
	g->count = 0;
	for (size_t i = 0; i < KNOWN; i++) {
		if (!known[i] || has_counter(g, known_names[i].counter))
			continue;
		take_counter_name(g, i);
		if (!fits_in_a_pass(g))
			g->count--;
	}
	return g->count && fits_in_a_pass(g);
}

/* A device begins */

static CUptiResult ask_for_chip(struct counted_gpu *g, size_t device)
{
	CUpti_Device_GetChipName_Params chip =
		PARAMS(Device_GetChipName, .deviceIndex = device);
	CUpti_PmSampling_GetCounterAvailability_Params can = PARAMS(
		PmSampling_GetCounterAvailability, .deviceIndex = device);
	CUptiResult err = pm.DeviceGetChipName(&chip);

	if (!err)
		err = pm.PmSamplingGetCounterAvailability(&can);
	if (err)
		return err;
	g->chip = chip.pChipName;
	g->available = calloc(1, can.counterAvailabilityImageSize);
	if (!g->available)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	can.pCounterAvailabilityImage = g->available;
	return pm.PmSamplingGetCounterAvailability(&can);
}

/* Not each GPU has a clock for intervals of time: then its own clock counts. */
static CUptiResult configure_intervals(const struct counted_gpu *g)
{
	CUpti_PmSampling_SetConfig_Params set = PARAMS(
		PmSampling_SetConfig, .pPmSamplingObject = g->sampling,
		.configSize = g->config_size, .pConfig = g->config,
		.hardwareBufferSize = HARDWARE_BUFFER,
		.samplingInterval = counters.period_ns,
		.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL,
		.hwBufferAppendMode = KEEP_OLDEST);

	if (!pm.PmSamplingSetConfig(&set))
		return CUPTI_SUCCESS;
	set.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
	return pm.PmSamplingSetConfig(&set);
}

static CUptiResult clear_image(const struct counted_gpu *g)
{
	CUpti_PmSampling_CounterDataImage_Initialize_Params clear = PARAMS(
		PmSampling_CounterDataImage_Initialize,
		.pPmSamplingObject = g->sampling,
		.counterDataSize = g->image_size, .pCounterData = g->image);

	return pm.PmSamplingCounterDataImageInitialize(&clear);
}

static CUptiResult make_image(struct counted_gpu *g)
{
	CUpti_PmSampling_GetCounterDataSize_Params size = PARAMS(
		PmSampling_GetCounterDataSize, .pPmSamplingObject = g->sampling,
		.pMetricNames = g->names, .numMetrics = g->count,
		.maxSamples = counters.most);
	CUptiResult err = pm.PmSamplingGetCounterDataSize(&size);

	if (err)
		return err;
	g->image_size = size.counterDataSize;
	g->image = calloc(1, g->image_size);
	return g->image ? clear_image(g) : CUPTI_ERROR_OUT_OF_MEMORY;
}

static CUptiResult open_counters(struct counted_gpu *g, size_t device)
{
	CUpti_PmSampling_Enable_Params enable =
		PARAMS(PmSampling_Enable, .deviceIndex = device);
	CUptiResult err = ask_for_chip(g, device);

	if (err)
		return err;
	if (!choose_names(g))
		return CUPTI_ERROR_NOT_SUPPORTED;
	err = pm.PmSamplingEnable(&enable);
	if (err)
		return err;
	g->sampling = enable.pPmSamplingObject;
	err = configure_intervals(g);
	return err ? err : make_image(g);
}

static enum loss loss_of_counters(CUptiResult err)
{
	switch (err) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
		return LOSS_GPU_COUNTERS_FORBIDDEN;
	case CUPTI_ERROR_HARDWARE_BUSY:
		return LOSS_GPU_COUNTERS_TAKEN;
	case CUPTI_ERROR_NOT_SUPPORTED:
	case CUPTI_ERROR_INVALID_PARAMETER:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
		return LOSS_GPU_COUNTERS_UNKNOWN;
	default:
		return LOSS_GPU_COUNTERS_REFUSED;
	}
}

/*
 * What CUPTI was given is not freed: it may still use it.  Nor is it told to
 * end: after several starts, cuptiPmSamplingDisable() of 13.0 freed memory
 * twice.
 */
static void give_counters_up(struct counted_gpu *g, CUptiResult err)
{
	g->state = REFUSED;
	copse_gpu_lost(loss_of_counters(err), 1);
}

static void open_new_devices(void)
{
	for (size_t i = 0; i < DEVICES; i++) {
		struct counted_gpu *g = &counters.gpus[i];
		CUptiResult err;

		if (g->state != FOUND)
			continue;
		err = open_counters(g, i);
		if (err)
			give_counters_up(g, err);
		else
			g->state = READ;
	}
}

/* Bursts */

static bool read_interval(const struct counted_gpu *g, size_t i,
			  struct gpu_interval *to)
{
	CUpti_PmSampling_CounterData_GetSampleInfo_Params when = PARAMS(
		PmSampling_CounterData_GetSampleInfo,
		.pPmSamplingObject = g->sampling, .pCounterDataImage = g->image,
		.counterDataImageSize = g->image_size, .sampleIndex = i);
	double values[GPU_COUNTERS];
	CUpti_Profiler_Host_EvaluateToGpuValues_Params get =
		PARAMS(Profiler_Host_EvaluateToGpuValues,
		       .pHostObject = g->host, .pCounterDataImage = g->image,
		       .counterDataImageSize = g->image_size, .rangeIndex = i,
		       .ppMetricNames = (const char **)g->names,
		       .numMetrics = g->count, .pMetricValues = values);
	double ns;

	if (pm.PmSamplingCounterDataGetSampleInfo(&when) ||
	    pm.ProfilerHostEvaluateToGpuValues(&get) ||
	    when.endTimestamp <= when.startTimestamp)
		return false;
	ns = (double)(when.endTimestamp - when.startTimestamp);
	*to = (struct gpu_interval){ .start = records_time(when.startTimestamp),
				     .end = records_time(when.endTimestamp) };
	for (size_t j = 0; j < g->count; j++)
		to->value[g->counter[j]] =
			(float)(values[j] > 0
					? values[j] *
						  (g->share[j] ? ns / 100 : 1)
					: 0);
	return true;
}

static void hand_intervals_over(const struct counted_gpu *g, size_t device)
{
	CUpti_PmSampling_GetCounterDataInfo_Params info = PARAMS(
		PmSampling_GetCounterDataInfo, .pCounterDataImage = g->image,
		.counterDataImageSize = g->image_size);
	size_t count = 0;

	if (pm.PmSamplingGetCounterDataInfo(&info))
		return;
	/* The first one began when the burst before ended. */
	for (size_t i = 1;
	     i < info.numCompletedSamples && count < counters.most; i++)
		count += read_interval(g, i, &counters.intervals[count]);
	copse_gpu_counted((uint32_t)device, counters.intervals, count);
}

static CUptiResult read_burst(struct counted_gpu *g, size_t device)
{
	CUpti_PmSampling_Stop_Params stop =
		PARAMS(PmSampling_Stop, .pPmSamplingObject = g->sampling);
	CUpti_PmSampling_DecodeData_Params decode =
		PARAMS(PmSampling_DecodeData, .pPmSamplingObject = g->sampling,
		       .pCounterDataImage = g->image,
		       .counterDataImageSize = g->image_size);
	CUptiResult err = pm.PmSamplingStop(&stop);

	if (!err)
		err = pm.PmSamplingDecodeData(&decode);
	if (err)
		return err;
	if (decode.overflow)
		copse_gpu_lost(LOSS_GPU_COUNTERS_OVERFLOW, 1);
	hand_intervals_over(g, device);
	return clear_image(g);
}

static void start_bursts(void)
{
	for (size_t i = 0; i < DEVICES; i++) {
		struct counted_gpu *g = &counters.gpus[i];
		CUpti_PmSampling_Start_Params start = PARAMS(
			PmSampling_Start, .pPmSamplingObject = g->sampling);
		CUptiResult err = g->state == READ ? pm.PmSamplingStart(&start)
						   : CUPTI_SUCCESS;

		if (err)
			give_counters_up(g, err);
	}
}

static void end_bursts(void)
{
	for (size_t i = 0; i < DEVICES; i++) {
		struct counted_gpu *g = &counters.gpus[i];
		CUptiResult err =
			g->state == READ ? read_burst(g, i) : CUPTI_SUCCESS;

		if (err)
			give_counters_up(g, err);
	}
}

/* The thread */

static uint64_t cpu_time_so_far(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Until it is worth its share again. */
static uint64_t pause_by_budget(void)
{
	uint64_t used = cpu_time_so_far();
	uint64_t elapsed = copse_gpu_now() - counters.begun_ns;
	uint64_t due;

	if (used <= COUNTERS_FREE_NS)
		return 0;
	due = (used - COUNTERS_FREE_NS) * (100 / COUNTERS_SHARE);
	return due > elapsed ? due - elapsed : 0;
}

/* Whether the end was asked for meanwhile. */
static bool wait_for_end(uint64_t ns)
{
	struct timespec until;
	int err = 0;
	bool ends;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec = (long)(ns % 1000000000);
	pthread_mutex_lock(&counters.lock);
	while (!counters.ends && !err)
		err = pthread_cond_timedwait(&counters.changed, &counters.lock,
					     &until);
	ends = counters.ends;
	pthread_mutex_unlock(&counters.lock);
	return ends;
}

static void read_counters(void)
{
	bool ends = false;

	while (!ends) {
		open_new_devices();
		if (copse_gpu_measured_since() == UINT64_MAX) {
			ends = wait_for_end(PAUSE_MS * 1000000u);
			continue;
		}
		start_bursts();
		ends = wait_for_end(COUNTERS_BURST_MS * 1000000u);
		end_bursts();
		ends = ends || wait_for_end(pause_by_budget());
	}
}

static void *run_hardware_counters(void *unused)
{
	prctl(PR_SET_NAME, "copse-counters");
	flush_prepare();
	counters.begun_ns = copse_gpu_now();
	counters.most = (uint32_t)(COUNTERS_BURST_MS * 1000000u * 2 /
				   counters.period_ns) +
			SPARE;
	counters.intervals = calloc(counters.most, sizeof(*counters.intervals));
	if (counters.intervals && look_up_counters())
		read_counters();
	else
		copse_gpu_lost(LOSS_GPU_COUNTERS_UNKNOWN, 1);
	pthread_mutex_lock(&counters.lock);
	counters.done = true;
	pthread_cond_broadcast(&counters.changed);
	pthread_mutex_unlock(&counters.lock);
	return unused;
}

/* With the lock: the first context is there. */
static void begin_counters(void)
{
	pthread_condattr_t clock;

	counters.begun = true;
	counters.runs = !pthread_condattr_init(&clock) &&
			!pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) &&
			!pthread_cond_init(&counters.changed, &clock) &&
			!flush_start_thread(run_hardware_counters);
}

void hardware_counters_begin(CUpti_SubscriberHandle subscriber)
{
	counters.wanted =
		copse_gpu_counters(&counters.period_ns) &&
		!cupti.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
				      CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
}

void hardware_counters_resource(CUpti_CallbackId id,
				const CUpti_ResourceData *data)
{
	int unused = UNUSED;
	uint32_t device;

	if (!counters.wanted || id != CUPTI_CBID_RESOURCE_CONTEXT_CREATED ||
	    cupti.GetDeviceId(data->context, &device) || device >= DEVICES)
		return;
	atomic_compare_exchange_strong(&counters.gpus[device].state, &unused,
				       FOUND);
	pthread_mutex_lock(&counters.lock);
	if (!counters.begun)
		begin_counters();
	pthread_mutex_unlock(&counters.lock);
}

void hardware_counters_end(void)
{
	struct timespec until;
	int err = 0;

	if (!counters.runs)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += END_S;
	pthread_mutex_lock(&counters.lock);
	counters.ends = true;
	pthread_cond_broadcast(&counters.changed);
	while (!counters.done && !err)
		err = pthread_cond_timedwait(&counters.changed, &counters.lock,
					     &until);
	pthread_mutex_unlock(&counters.lock);
}

void hardware_counters_forked(void)
{
	counters.wanted = counters.runs = false;
}
