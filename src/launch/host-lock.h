/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-lock.h - what the `copse run`s of one user on one host have in common:
 * one of them at a time has the lock.
 *
 * It is a lock on this user's folder in /dev/shm: on output directories locks
 * often do nothing.  So all that take turns at one file must be on one host;
 * `owner` tells hosts apart, also those of the same name.
 */
#ifndef LAUNCH_HOST_LOCK_H
#define LAUNCH_HOST_LOCK_H

struct host_lock {
	int fd;
	char owner[48]; /* letters, digits and "-" */
};

/*
 * Wait for it, that long at most.  0, or -errno: -ETIMEDOUT, when somebody
 * keeps it.
 */
int host_lock_take(struct host_lock *lock, unsigned int patience_ms);
void host_lock_release(struct host_lock *lock);

#endif
