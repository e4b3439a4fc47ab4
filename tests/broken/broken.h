/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * broken.h - a collector with one mistake: at each tick, before anything else,
 * it calls do_wrong(), which each variant defines.
 */
#pragma once

void do_wrong(void);
