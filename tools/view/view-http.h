/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * view-http.h - HTTP for copse view: libcopse-view.so, which is there where
 * libmicrohttpd was when copse was built, and is opened by that command alone:
 * its libraries are none that each rank of a job should load.
 *
 * Threads   Everything happens in the caller's.
 */
#pragma once

#include <signal.h>
#include <stddef.h>

struct view_request {
	const char *path; /* "/tile" */
	int socket;       /* of who asks */
	void *connection;
	/* What follows '?': the value of a name, or NULL. */
	const char *(*value)(const struct view_request *request,
			     const char *name);
};

struct view_answer {
	int status; /* 200, …; 403: who asks is a stranger */
	const char *type;
	const char *body; /* by malloc where it is to be freed */
	size_t size;
	int is_kept; /* it is the answerer's own */
};

struct view_http {
	const char *version; /* the first member, whatever follows */
	/*
	 * Answer who connects to a socket that listens, GET alone, until *stop.
	 * Connections of strangers keep nobody out.  0, or -errno.
	 */
	int (*serve)(int socket,
		     void (*answer)(void *of,
				    const struct view_request *request,
				    struct view_answer *to),
		     void *of, const volatile sig_atomic_t *stop);
};
