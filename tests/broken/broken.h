/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * broken.h - a collector with one mistake: at each call path that it looks for
 * it calls do_wrong(), which each variant defines.
 */
#ifndef BROKEN_BROKEN_H
#define BROKEN_BROKEN_H

void do_wrong(void);

#endif
