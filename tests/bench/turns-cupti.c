/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turns-cupti.c - CUPTI for copse (COPSE_CUPTI), of which a program can ask
 * less while it runs: so ways to use it are compared within a process, a few
 * milliseconds from each other.  Processes differ by more than that, and so
 * does a machine from minute to minute.
 *
 *   void turn(int way)           while no call of CUDA's runs and the GPU has
 * no work const char *turn_name(int)   NULL: there is no such way
 *
 * All but the functions here are CUPTI's own, with which this library is
 * linked.
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))
#define IDS    2048
#define KINDS  64

enum records {
	NO_RECORDS,
	OF_KERNELS,
	ALL_RECORDS, /* that copse asks for */
};

static const struct way {
	const char *name;
	enum records records;
	bool calls[2]; /* runtime, driver: are they called back for? */
	bool told;     /* copse is, and not a function that does nothing */
} ways[] = {
	{ "nothing", NO_RECORDS, { false, false }, false },
	{ "kernels", OF_KERNELS, { false, false }, false },
	{ "records", ALL_RECORDS, { false, false }, false },
	{ "empty-runtime", ALL_RECORDS, { true, false }, false },
	{ "empty", ALL_RECORDS, { true, true }, false },
	{ "runtime", ALL_RECORDS, { true, false }, true },
	{ "copse", ALL_RECORDS, { true, true }, true },
};

static CUpti_SubscriberHandle subscriber;
static CUpti_CallbackFunc callback;
static bool wanted[2][IDS], kinds[KINDS], told = true;

static bool is_call(CUpti_CallbackDomain domain)
{
	return domain == CUPTI_CB_DOMAIN_RUNTIME_API ||
	       domain == CUPTI_CB_DOMAIN_DRIVER_API;
}

/* A jump to copse's: no frame of ours stands between. */
static void between(void *data, CUpti_CallbackDomain domain,
		    CUpti_CallbackId id, const void *call)
{
	if (told || !is_call(domain))
		callback(data, domain, id, call);
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle,
				  CUpti_CallbackFunc function, void *data)
{
	__typeof__(&cuptiSubscribe) subscribe =
		(__typeof__(&cuptiSubscribe))real("cuptiSubscribe");
	CUptiResult err = subscribe(handle, between, data);

	callback = function;
	subscriber = *handle;
	return err;
}

static CUptiResult enable(bool on, CUpti_CallbackDomain domain,
			  CUpti_CallbackId id)
{
	static __typeof__(&cuptiEnableCallback) function;

	if (!function)
		function = (__typeof__(&cuptiEnableCallback))real(
			"cuptiEnableCallback");
	return function(on, subscriber, domain, id);
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t on,
				       CUpti_SubscriberHandle handle,
				       CUpti_CallbackDomain domain,
				       CUpti_CallbackId id)
{
	(void)handle;
	if (is_call(domain) && id < IDS)
		wanted[domain == CUPTI_CB_DOMAIN_DRIVER_API][id] = on;
	return enable(on, domain, id);
}

static CUptiResult record(bool on, CUpti_ActivityKind kind)
{
	typedef CUptiResult function(CUpti_ActivityKind);
	function *change = (function *)real(on ? "cuptiActivityEnable"
					       : "cuptiActivityDisable");

	return change(kind);
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	if (kind < KINDS)
		kinds[kind] = true;
	return record(true, kind);
}

static bool is_recorded(CUpti_ActivityKind kind, enum records records)
{
	return records == ALL_RECORDS ||
	       (records == OF_KERNELS &&
		kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

static void turn_records(enum records records)
{
	static enum records before = ALL_RECORDS;

	for (int k = 0; k < KINDS && records != before; k++)
		if (kinds[k])
			record(is_recorded((CUpti_ActivityKind)k, records),
			       (CUpti_ActivityKind)k);
	before = records;
}

static void turn_calls(const bool calls[2])
{
	static const CUpti_CallbackDomain domains[] = {
		CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API
	};
	static bool before[2] = { true, true };

	for (int d = 0; d < 2; d++) {
		for (CUpti_CallbackId id = 0; id < IDS; id++)
			if (wanted[d][id] && calls[d] != before[d])
				enable(calls[d], domains[d], id);
		before[d] = calls[d];
	}
}

EXPORT void turn(int way);

EXPORT void turn(int way)
{
	told = ways[way].told;
	turn_calls(ways[way].calls);
	turn_records(ways[way].records);
}

EXPORT const char *turn_name(int way);

EXPORT const char *turn_name(int way)
{
	return (size_t)way < sizeof(ways) / sizeof(*ways) ? ways[way].name
							  : NULL;
}
