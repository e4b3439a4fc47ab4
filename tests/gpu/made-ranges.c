/* SPDX-License-Identifier: BSD-3-Clause */
/* made-ranges.c - ranges of NVTX around known work; see made.c. */
#include "made-ranges.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <unistd.h>

static void *end_it(void *id)
{
	nvtxRangeEnd(*(nvtxRangeId_t *)id);
	return NULL;
}

/* Two that overlap; the first ends on another thread.  20 and 30 ms. */
static void across(void)
{
	nvtxRangeId_t a = nvtxRangeStartA("across a"), b;
	pthread_t thread;

	usleep(10000);
	b = nvtxRangeStartW(L"across b");
	usleep(10000);
	pthread_create(&thread, NULL, end_it, &a);
	pthread_join(thread, NULL);
	usleep(20000);
	nvtxRangeEnd(b);
	nvtxRangeEnd(b);
}

void ranges(void (*work)(void))
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("physics");
	nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "inner");
	nvtxEventAttributes_t event = {
		.version = NVTX_VERSION,
		.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
		.messageType = NVTX_MESSAGE_TYPE_REGISTERED,
		.message.registered = text,
	};

	nvtxRangePushA("outer");
	work();
	for (int i = 0; i < 2; i++) {
		nvtxDomainRangePushEx(domain, &event);
		work();
		nvtxDomainRangePop(domain);
	}
	nvtxRangePop();
	nvtxRangePushW(L"wide");
	work();
	nvtxRangePop();
	work();
	across();
}
