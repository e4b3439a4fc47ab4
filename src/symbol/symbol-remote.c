/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-remote.c - asks debuginfod, for no longer than the user wants to wait.
 *
 * libdwfl asks by itself for what is missing beside a file.  Where the file is
 * missing as well, libdebuginfod is asked here.  Both call us back at least
 * once a second, and end when we say so.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timebase.h"
#include "symbol/symbol-file.h"

/* As in elfutils/debuginfod.h, which need not be installed. */
#define SONAME "libdebuginfod.so.1"
typedef struct debuginfod_client debuginfod_client;
typedef int step_function(debuginfod_client *client, long a, long b);

/* The library; NULL members where it is not installed or not wanted. */
static struct {
	debuginfod_client *(*begin)(void);
	int (*find)(debuginfod_client *client, const unsigned char *build_id,
		    int length, char **path);
	void (*watch)(debuginfod_client *client, step_function *step);
	void (*end)(debuginfod_client *client);
} library;

/* elfutils 0.186; before that, libdwfl does not say whom to watch. */
typedef debuginfod_client *client_of(Dwfl *dwfl);
extern client_of dwfl_get_debuginfod_client __attribute__((weak));

static _Atomic uint64_t until_ns, last_ns; /* of the first question; of all */
static uint64_t patience_ns;

/* The clock runs from the first question on.  1: it has run out. */
static int download_step(debuginfod_client *client, long a, long b)
{
	uint64_t now = timebase_clock(CLOCK_MONOTONIC), none = 0;

	(void)client;
	(void)a;
	(void)b;
	atomic_compare_exchange_strong(&until_ns, &none, now + patience_ns);
	atomic_store(&last_ns, now);
	return now >= atomic_load(&until_ns);
}

static bool is_debuginfod_wanted(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/* What is loaded stays so: libcurl may not be initialised twice. */
static void load_debuginfod(void)
{
	void *handle;

	if (library.end || !is_debuginfod_wanted())
		return;
	handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return;
	*(void **)&library.begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library.find = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&library.watch = dlsym(handle, "debuginfod_set_progressfn");
	*(void **)&library.end = dlsym(handle, "debuginfod_end");
	if (!library.begin || !library.find || !library.watch)
		library.end = NULL;
}

/*
 * elfutils 0.192 calls back only while a server sends: for one that does not it
 * has a limit of its own, which is each question's.  Before 0.186 its name is
 * another, and it is that of a slow server as well.
 */
void remote_begin(unsigned int seconds)
{
	char most[16];

	snprintf(most, sizeof(most), "%u", seconds ? seconds : 1);
	setenv("DEBUGINFOD_MAXTIME", most, 0);
	if (!dwfl_get_debuginfod_client)
		setenv("DEBUGINFOD_TIMEOUT", most, 0);
	patience_ns = (uint64_t)seconds * 1000000000;
	atomic_store(&until_ns, 0);
	atomic_store(&last_ns, 0);
	load_debuginfod();
}

void remote_watch(Dwfl *dwfl)
{
	debuginfod_client *client;

	if (!library.end || !dwfl_get_debuginfod_client)
		return;
	client = dwfl_get_debuginfod_client(dwfl);
	if (client)
		library.watch(client, download_step);
}

/* The bytes of a build id, or 0 when it is none. */
static int bytes_of(const char *build_id, unsigned char to[64])
{
	size_t length = strlen(build_id);

	if (!length || length % 2 || length > 128)
		return 0;
	for (size_t i = 0; i < length / 2; i++) {
		char digits[3] = { build_id[2 * i], build_id[2 * i + 1] };
		char *end;

		to[i] = (unsigned char)strtoul(digits, &end, 16);
		if (*end)
			return 0;
	}
	return (int)(length / 2);
}

int remote_open(const char *build_id)
{
	unsigned char bytes[64];
	int length = bytes_of(build_id, bytes), fd;
	debuginfod_client *client;

	if (!library.end || !length)
		return -ENOENT;
	client = library.begin();
	if (!client)
		return -ENOMEM;
	library.watch(client, download_step);
	fd = download_step(client, 0, 0)
		     ? -ETIME
		     : library.find(client, bytes, length, NULL);
	library.end(client);
	return fd;
}

bool remote_asking(void)
{
	uint64_t last = atomic_load(&last_ns);

	return last && timebase_clock(CLOCK_MONOTONIC) - last < 1500000000;
}
