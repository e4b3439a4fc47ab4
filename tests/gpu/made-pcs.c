/* SPDX-License-Identifier: BSD-3-Clause */
/* made-pcs.c - samples of the made CUDA's kernels, see made-cuda.h. */
#include <cupti_pcsampling.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "made-cuda.h"
#include "made-inside.h"

#define PUBLIC __attribute__((visibility("default")))

#define ATTRIBUTE(name) CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_##name
#define OWN_BUFFER      ATTRIBUTE(SAMPLING_DATA_BUFFER)
#define SLEEP_SPAN      ATTRIBUTE(WORKER_THREAD_PERIODIC_SLEEP_SPAN)

enum {
	SAMPLES = 256,
	AT_ONCE = 16,
	NO_REASON = 99
};

/* CUPTI's index of each is 3 more. */
static const char *const reasons[] = {
	"smsp__pcsamp_warps_issue_stalled_selected",
	"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
	"smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
	"smsp__pcsamp_warps_issue_stalled_tomorrow",
	"smsp__pcsamp_samples_data_dropped",
};
enum {
	REASONS = sizeof(reasons) / sizeof(*reasons),
	FIRST = 3
};

static struct {
	pthread_mutex_t lock;
	int enabled, configured;
	int was_configured; /* once */
	uint32_t span;      /* ms */
	uint64_t _Atomic answers;
	CUpti_PCSamplingData *own;
	struct sample {
		uint64_t module, pc, ns;
		const char *function;
		uint32_t symbol, reason, samples;
	} at[SAMPLES];
	size_t count;
	int told;
} pcs = { .lock = PTHREAD_MUTEX_INITIALIZER, .span = 100 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t checksum(const char *bytes, size_t size)
{
	uint64_t x = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		x = (x ^ (uint8_t)bytes[i]) * 0x100000001b3u;
	return x;
}

PUBLIC uint64_t made_module(const char *path)
{
	static char bytes[1 << 20];
	FILE *file = fopen(path, "rb");
	CUpti_ModuleResourceData data = { .moduleId = 1, .pCubin = bytes };

	if (!file)
		return 0;
	data.cubinSize = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	made_resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, made_context(), &data);
	return checksum(bytes, data.cubinSize);
}

PUBLIC uint32_t made_reason(const char *name)
{
	for (uint32_t i = 0; i < REASONS; i++)
		if (!strcmp(strstr(reasons[i], "stalled_")
				    ? strstr(reasons[i], "stalled_") + 8
				    : "",
			    name))
			return FIRST + i;
	return NO_REASON;
}

/* Nothing is sampled before it is asked for. */
PUBLIC void made_sample(uint64_t module, const char *function, uint32_t symbol,
			uint64_t pc, uint32_t reason, uint32_t samples)
{
	pthread_mutex_lock(&pcs.lock);
	if (pcs.was_configured && pcs.count < SAMPLES)
		pcs.at[pcs.count++] =
			(struct sample){ module, pc,     now(),  function,
					 symbol, reason, samples };
	pthread_mutex_unlock(&pcs.lock);
}

PUBLIC void made_answered(void)
{
	uint64_t before = pcs.answers;
	size_t left;

	do {
		usleep(1000);
		pthread_mutex_lock(&pcs.lock);
		left = pcs.count;
		pthread_mutex_unlock(&pcs.lock);
	} while (left || pcs.answers == before);
	usleep(100000); /* what is answered is heard */
}

PUBLIC CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams *params)
{
	params->cubinCrc = checksum(params->cubin, params->cubinSize);
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *params)
{
	(void)params;
	if (pcs.enabled) {
		fprintf(stderr, "made CUPTI: launches fail where two contexts "
				"of a device are sampled\n");
		abort();
	}
	if (made_fault("forbidden"))
		return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	if (made_fault("busy"))
		return CUPTI_ERROR_HARDWARE_BUSY;
	if (made_fault("unsupported"))
		return CUPTI_ERROR_NOT_SUPPORTED;
	pcs.enabled++;
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPCSamplingGetNumStallReasons(
	CUpti_PCSamplingGetNumStallReasonsParams *params)
{
	*params->numStallReasons = REASONS;
	return pcs.enabled ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

PUBLIC CUptiResult
cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *params)
{
	for (uint32_t i = 0; i < REASONS && i < params->numStallReasons; i++) {
		params->stallReasonIndex[i] = FIRST + i;
		snprintf(params->stallReasons[i],
			 CUPTI_STALL_REASON_STRING_SIZE, "%s", reasons[i]);
	}
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPCSamplingSetConfigurationAttribute(
	CUpti_PCSamplingConfigurationInfoParams *params)
{
	for (size_t i = 0; i < params->numAttributes; i++) {
		CUpti_PCSamplingConfigurationInfo *a =
			&params->pPCSamplingConfigurationInfo[i];

		if (a->attributeType == OWN_BUFFER)
			pcs.own = a->attributeData.samplingDataBufferData
					  .samplingDataBuffer;
		else if (a->attributeType == SLEEP_SPAN)
			pcs.span = a->attributeData
					   .workerThreadPeriodicSleepSpanData
					   .workerThreadPeriodicSleepSpan;
	}
	pcs.configured = pcs.enabled && pcs.own;
	pcs.was_configured |= pcs.configured;
	return pcs.configured ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

/* With the lock: so many were taken so long ago that threads know of them. */
static size_t arrived(uint64_t ns_ago)
{
	uint64_t until = now() - ns_ago;
	size_t count = 0;

	while (count < pcs.count && pcs.at[count].ns <= until)
		count++;
	return count;
}

/* With the lock: the last samples go first; each is a record of its own. */
static void tell(CUpti_PCSamplingData *to, size_t most, uint64_t ns_ago)
{
	size_t known = arrived(ns_ago), left = known;

	to->totalNumPcs = 0;
	while (left && to->totalNumPcs < most &&
	       to->totalNumPcs < to->collectNumPcs) {
		const struct sample *s = &pcs.at[--left];
		CUpti_PCSamplingPCData *pc = &to->pPcData[to->totalNumPcs++];

		pc->cubinCrc = s->module;
		pc->pcOffset = s->pc;
		pc->functionIndex = s->symbol;
		pc->functionName = strdup(s->function);
		pc->stallReasonCount = 1;
		pc->stallReason[0] =
			(CUpti_PCSamplingStallReason){ s->reason, s->samples };
	}
	memmove(&pcs.at[left], &pcs.at[known],
		(pcs.count - known) * sizeof(*pcs.at));
	pcs.count -= known - left;
	to->remainingNumPcs = left;
	if (made_fault("dropped") && !pcs.told++) {
		to->droppedSamples = 7;
		to->nonUsrKernelsTotalSamples = 5;
	}
}

PUBLIC CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *params)
{
	CUpti_PCSamplingData *to = params->pcSamplingData;

	if (!pcs.configured)
		return CUPTI_ERROR_INVALID_OPERATION;
	if (made_fault("broken"))
		return CUPTI_ERROR_UNKNOWN;
	if (made_fault("overflow")) {
		to->totalNumPcs = to->remainingNumPcs = 0;
		return CUPTI_ERROR_OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&pcs.lock);
	tell(to, AT_ONCE, 2 * 1000000 * (uint64_t)pcs.span);
	pcs.answers++;
	pthread_mutex_unlock(&pcs.lock);
	return CUPTI_SUCCESS;
}

/*
 * NVIDIA's waits for a lock of the context's while it holds one of its own, and
 * a launch in another thread does it the other way round: seen on a GPU.
 */
static void may_hang(const char *function)
{
	fprintf(stderr, "made CUPTI: %s() beside launches\n", function);
	abort();
}

/* As NVIDIA's: what is left is put into the buffer of its own. */
PUBLIC CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *params)
{
	(void)params;
	if (!made_in_context_callback())
		may_hang(__func__);
	pthread_mutex_lock(&pcs.lock);
	if (pcs.configured)
		tell(pcs.own, SAMPLES, 0);
	pcs.enabled = pcs.configured = 0;
	pthread_mutex_unlock(&pcs.lock);
	return CUPTI_SUCCESS;
}

PUBLIC CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *params)
{
	(void)params;
	may_hang(__func__);
	return CUPTI_ERROR_UNKNOWN;
}

PUBLIC CUptiResult cuptiPCSamplingStop(CUpti_PCSamplingStopParams *params)
{
	(void)params;
	may_hang(__func__);
	return CUPTI_ERROR_UNKNOWN;
}
