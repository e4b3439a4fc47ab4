/* SPDX-License-Identifier: BSD-3-Clause */
/* made-ranges.c - ranges of NVTX around known work; see made.c. */
#include "made-ranges.h"

#include <nvtx3/nvToolsExt.h>

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
}
