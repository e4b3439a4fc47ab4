/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timestamp-inline.h - cntvct_el0, which counts at 25 MHz to 1 GHz: sums are
 * right, a single call may be shorter than one count.
 */

#define TIMESTAMP_CLOCKSOURCE "arch_sys_counter"
#define TIMESTAMP_PER_US      timestamp_per_us()

SIGSAFE_INLINE uint64_t timestamp_read(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
}

SIGSAFE_INLINE uint64_t timestamp_per_us(void)
{
	uint64_t per_s;

	__asm__("mrs %0, cntfrq_el0" : "=r"(per_s));
	return per_s / 1000000 + 1;
}
