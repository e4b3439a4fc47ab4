/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-counters.c - the hardware's counters of the made CUDA, see made-cuda.h.
 * What a kernel or copy does to the device follows from its name (`uses`), so
 * that the counters of any interval are known.
 */
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "made-inside.h"

#define PUBLIC __attribute__((visibility("default")))

enum {
	WORKS = 65536,
	NAMES = 32,
	MOST = 4096,
};

/* Per cent, and bytes in a microsecond. */
static const struct use {
	const char *work;
	double sm, warps, tensor, dram, read, written, received, fp32;
} uses[] = {
	{ "alpha", 100, 50, 0, 80, 3000, 1000, 0, 0 },
	{ "beta", 90, 25, 70, 10, 500, 0, 0, 0 },
	{ "tiny", 1, 1, 0, 0, 0, 0, 0, 0 },
	{ "gemm", 100, 12, 0, 5, 200, 50, 0, 75 },
	{ "elementwise", 100, 85, 0, 90, 3000, 1500, 0, 2 },
	{ "crowded", 100, 6, 0, 4, 180, 0, 0, 1 },
	{ "copy", 0, 0, 0, 1, 0, 50, 50, 0 },
};

static const struct metric {
	const char *name;
	size_t at; /* of struct use */
	int bytes;
	int triage; /* it fits with all others */
} metrics[] = {
#define USE(member) offsetof(struct use, member)
	{ "sm__cycles_active.avg.", USE(sm), 0, 0 },
	{ "sm__warps_active.avg.", USE(warps), 0, 0 },
	{ "TPC.TriageCompute.sm__pipe_tensor_", USE(tensor), 0, 1 },
	{ "sm__pipe_tensor_cycles_active.avg.", USE(tensor), 0, 0 },
	{ "dram__bytes.sum.pct", USE(dram), 0, 0 },
	{ "sm__inst_executed_pipe_fma.", USE(fp32), 0, 0 },
	{ "dram__bytes_read.sum", USE(read), 1, 0 },
	{ "dram__bytes_write.sum", USE(written), 1, 0 },
	{ "pcie__read_bytes.sum", USE(received), 1, 0 },
};

struct CUpti_Profiler_Host_Object {
	size_t count;
};

struct CUpti_PmSampling_Object {
	const char *names[NAMES];
	size_t count;
	uint64_t period, started, stopped, last; /* last: of the burst before */
	uint64_t starts[MOST], ends[MOST];
	size_t intervals;
};

/* Mutable: what worked; one device is sampled. */
static struct {
	pthread_mutex_t lock;
	struct work {
		const struct use *use;
		uint64_t start, end;
	} at[WORKS];
	size_t count;
	struct CUpti_PmSampling_Object sampling;
} counted = { .lock = PTHREAD_MUTEX_INITIALIZER };

void made_counters_work(const char *name, uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&counted.lock);
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (strstr(name, uses[i].work) && counted.count < WORKS)
			counted.at[counted.count++] =
				(struct work){ &uses[i], start, end };
	pthread_mutex_unlock(&counted.lock);
}

static const struct metric *metric_of(const char *name)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (!strncmp(name, metrics[i].name, strlen(metrics[i].name)))
			return &metrics[i];
	return NULL;
}

/* The host's part */

PUBLIC CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
	(void)p;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
	p->pChipName = "MADE100";
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
	p->pHostObject = calloc(1, sizeof(*p->pHostObject));
	return p->pHostObject ? CUPTI_SUCCESS : CUPTI_ERROR_OUT_OF_MEMORY;
}

PUBLIC CUptiResult cuptiProfilerHostConfigAddMetrics(
	CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
	for (size_t i = 0; i < p->numMetrics; i++)
		if (!metric_of(p->ppMetricNames[i]))
			return CUPTI_ERROR_INVALID_PARAMETER;
	p->pHostObject->count = p->numMetrics;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiProfilerHostGetConfigImageSize(
	CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
	p->configImageSize = 1;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
	*p->pConfigImage = (uint8_t)p->pHostObject->count;
	return CUPTI_SUCCESS;
}

/* An old chip has no room for more than four in a pass. */
PUBLIC CUptiResult
cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
	p->numOfPasses = made_fault("passes") && *p->pConfigImage > 4 ? 2 : 1;
	return CUPTI_SUCCESS;
}

/* The device's */

PUBLIC CUptiResult cuptiPmSamplingGetCounterAvailability(
	CUpti_PmSampling_GetCounterAvailability_Params *p)
{
	if (made_fault("forbidden"))
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	if (made_fault("busy"))
		return CUPTI_ERROR_HARDWARE_BUSY;
	p->counterAvailabilityImageSize = 1;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *p)
{
	p->pPmSamplingObject = &counted.sampling;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *p)
{
	if (made_fault("unsupported"))
		return CUPTI_ERROR_NOT_SUPPORTED;
	p->pPmSamplingObject->period = p->samplingInterval;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *p)
{
	p->counterDataSize = 1;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPmSamplingCounterDataImageInitialize(
	CUpti_PmSampling_CounterDataImage_Initialize_Params *p)
{
	p->pPmSamplingObject->intervals = 0;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *p)
{
	p->pPmSamplingObject->started = made_now();
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params *p)
{
	p->pPmSamplingObject->stopped = made_now();
	return CUPTI_SUCCESS;
}

/* As NVIDIA's: the first interval begins where the burst before ended. */
PUBLIC CUptiResult
cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *p)
{
	struct CUpti_PmSampling_Object *s = p->pPmSamplingObject;
	uint64_t at = s->started + s->period;

	if (s->last) {
		s->starts[s->intervals] = s->last;
		s->ends[s->intervals++] = at;
	}
	for (; at + s->period <= s->stopped && s->intervals < MOST;
	     at += s->period) {
		s->starts[s->intervals] = at;
		s->ends[s->intervals++] = at + s->period;
	}
	s->last = at;
	p->overflow = made_fault("overflow") != 0;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult
cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *p)
{
	p->numTotalSamples = MOST;
	p->numPopulatedSamples = counted.sampling.intervals;
	p->numCompletedSamples = counted.sampling.intervals;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPmSamplingCounterDataGetSampleInfo(
	CUpti_PmSampling_CounterData_GetSampleInfo_Params *p)
{
	p->startTimestamp = p->pPmSamplingObject->starts[p->sampleIndex];
	p->endTimestamp = p->pPmSamplingObject->ends[p->sampleIndex];
	return CUPTI_SUCCESS;
}

static double count_within(const struct metric *m, uint64_t from, uint64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < counted.count; i++) {
		const struct work *w = &counted.at[i];
		uint64_t start = w->start > from ? w->start : from;
		uint64_t end = w->end < to ? w->end : to;

		if (end > start)
			sum += (double)(end - start) *
			       *(const double *)((const char *)w->use + m->at);
	}
	return m->bytes ? sum / 1000 : sum / (double)(to - from);
}

PUBLIC CUptiResult cuptiProfilerHostEvaluateToGpuValues(
	CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
	const struct CUpti_PmSampling_Object *s = &counted.sampling;

	pthread_mutex_lock(&counted.lock);
	for (size_t i = 0; i < p->numMetrics; i++)
		p->pMetricValues[i] = count_within(
			metric_of(p->ppMetricNames[i]),
			s->starts[p->rangeIndex], s->ends[p->rangeIndex]);
	pthread_mutex_unlock(&counted.lock);
	return CUPTI_SUCCESS;
}
