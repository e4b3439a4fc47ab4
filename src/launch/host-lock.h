/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-lock.h - a lock that one `copse run` of a user on a host has at a time.
 *
 * The lock is on this user's folder in /dev/shm, because locks on network file
 * systems often do nothing.  So only processes of one host can share a file;
 * `owner` tells hosts apart, also those of the same name.
 */
#pragma once

struct host_lock {
	int fd;
	char owner[48]; /* letters, digits and "-" */
};

/*
 * Wait for the lock, at most that long.  0, or -errno: -ETIMEDOUT when another
 * process keeps it.
 */
int host_lock_take(struct host_lock *lock, unsigned int patience_ms);
void host_lock_release(struct host_lock *lock);
