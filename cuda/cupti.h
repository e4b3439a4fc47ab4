/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cupti.h - NVIDIA's CUPTI, opened at run time.  Programs run without it, too.
 * Which of several versions is opened depends on what the program has loaded.
 *
 * Threads   cupti_open() is called once, before all else; what it found does
 *           not change.
 */
#pragma once

#include <stdbool.h>

#include <cupti.h>
#include <cupti_pcsampling.h>

/* All functions that we use; a CUPTI that lacks one is not used. */
#define CUPTI_FUNCTIONS(F)                                                     \
	F(ActivityConfigureUnifiedMemoryCounter)                               \
	F(ActivityDisable)                                                     \
	F(ActivityEnable)                                                      \
	F(ActivityFlushAll)                                                    \
	F(ActivityGetNextRecord)                                               \
	F(ActivityGetNumDroppedRecords)                                        \
	F(ActivityRegisterCallbacks)                                           \
	F(ActivityRegisterTimestampCallback)                                   \
	F(EnableCallback)                                                      \
	F(EnableDomain)                                                        \
	F(GetGraphNodeId)                                                      \
	F(GetCallbackName)                                                     \
	F(GetContextId)                                                        \
	F(GetDeviceId)                                                         \
	F(GetTimestamp)                                                        \
	F(GetVersion)                                                          \
	F(Subscribe)                                                           \
	F(Unsubscribe)

/* For sampling of kernels; all are NULL if one is missing. */
#define CUPTI_SAMPLING_FUNCTIONS(F)                                            \
	F(GetCubinCrc)                                                         \
	F(PCSamplingDisable)                                                   \
	F(PCSamplingEnable)                                                    \
	F(PCSamplingGetData)                                                   \
	F(PCSamplingGetNumStallReasons)                                        \
	F(PCSamplingGetStallReasons)                                           \
	F(PCSamplingSetConfigurationAttribute)

extern struct cupti {
#define F(name) __typeof__(&cupti##name) name;
	CUPTI_FUNCTIONS(F)
	CUPTI_SAMPLING_FUNCTIONS(F)
#undef F
} cupti;

/* False: there is no CUPTI, or it is older than CUDA 12. */
bool cupti_open(void);

/*
 * The program has XLA, whose graphs fail where CUPTI records them as a whole:
 * doc/decisions/gpu-flush.md.
 */
bool cupti_fails_with_graphs(void);

/* Call `take` for each library between the program and CUPTI's callbacks. */
void cupti_modules(void (*take)(const void *code));

/* A function of CUPTI that not each has, by its name; NULL: there is none. */
void *cupti_function(const char *name);

/* A function of the driver, by its name; NULL: it is not loaded. */
void *cupti_driver(const char *name);

/* The name of an error of the runtime or the driver, or NULL. */
const char *cupti_error_name(CUpti_CallbackDomain domain, int code);
