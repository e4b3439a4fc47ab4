/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf-attr.h - what perf_event_open() takes, as of Linux 5.13: the headers of
 * older systems lack the last fields.  A kernel that does not know one refuses
 * it with EINVAL or E2BIG.  Source: perf_event_open(2), include/uapi.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	PERF_CGROUP_SWITCHES = 11
}; /* a software event of Linux 5.13 */

struct perf_attr {
	uint32_t type, size;
	uint64_t config, sample_period, sample_type, read_format;
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1;
	uint64_t exclude_user : 1, exclude_kernel : 1, exclude_hv : 1;
	uint64_t exclude_idle : 1, mmap : 1, comm : 1, freq : 1;
	uint64_t inherit_stat : 1, enable_on_exec : 1, task : 1, watermark : 1;
	uint64_t precise_ip : 2, mmap_data : 1, sample_id_all : 1;
	uint64_t exclude_host : 1, exclude_guest : 1;
	uint64_t exclude_callchain_kernel : 1, exclude_callchain_user : 1;
	uint64_t mmap2 : 1, comm_exec : 1, use_clockid : 1, context_switch : 1;
	uint64_t write_backward : 1, namespaces : 1, ksymbol : 1, bpf_event : 1;
	uint64_t aux_output : 1, cgroup : 1, text_poke : 1, build_id : 1;
	uint64_t inherit_thread : 1, remove_on_exec : 1, sigtrap : 1;
	uint64_t unused : 26;
	uint32_t wakeup_events, bp_type;
	uint64_t config1, config2;
	uint64_t branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack, unused_2;
	uint32_t aux_sample_size, unused_3;
	uint64_t sig_data;
};

/*
 * Before Linux 5.18 an event with `sigtrap` killed a thread that had the signal
 * blocked.
 */
bool perf_sigtrap_is_safe(void);

_Static_assert(sizeof(struct perf_attr) == 128, "as PERF_ATTR_SIZE_VER7");
