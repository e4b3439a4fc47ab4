/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.h - file descriptors of ours in the measured process: their
 * numbers lie above the soft limit, where the program's never come.
 *
 * The program may close them all the same (closefrom): who uses one makes sure
 * first that it is still his.
 */
#ifndef COLLECT_DESCRIPTOR_H
#define COLLECT_DESCRIPTOR_H

/*
 * Give `fd` a high number and close-on-exec; the old number is free again.
 * The new one, or -errno: then `fd` is closed.
 */
int descriptor_keep(int fd);

/* In a forked child: another thread may have held the lock. */
void descriptor_forked(void);

#endif
