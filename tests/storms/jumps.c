/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jumps.c phases|pauses|exec - a thread sends SIGUSR1 to another one that says
 * of itself what it does (copse.h), or fails to execute a program.  The handler
 * leaves what it interrupted by a jump, and now and then says something before.
 */
#include <dlfcn.h>
#include <string.h>

#include "jump.h"

enum {
	ENOUGH = 1000, /* jumps out of the collector's functions */
	LONGER = 60    /* seconds more, until there are as many */
};

static void nothing(void)
{
}

static void nothing_of(const char *name)
{
	(void)name;
}

/* The collector's, when there is one to listen. */
static void (*begin)(const char *) = nothing_of;
static void (*end)(const char *) = nothing_of;
static void (*hold)(void) = nothing;
static void (*resume)(void) = nothing;
static bool heard;

/* One handler of three says something before it goes. */
static void speak(void)
{
	begin("handler");
	end("handler");
	hold();
	resume();
}

static KEPT void say_phases(void)
{
	begin("outer");
	begin("inner");
	end("inner");
	end("outer");
}

static KEPT void say_pauses(void)
{
	hold();
	resume();
}

static KEPT void fail_to_exec(void)
{
	if (execl("/no/such/program", "none", (char *)NULL) != -1)
		storm_broken("execl");
}

/* What was begun or held, or stopped, when the jump came. */
static void settle(void)
{
	hold();
	for (int i = 0; i < 4; i++) {
		resume();
		end("outer");
	}
}

static void storm(void (*what)(void))
{
	double latest = storm_end + LONGER;

	while (storm_lasts() || (heard && jump_count < ENOUGH)) {
		jump_out_of(what);
		if (what != say_phases)
			settle();
		afterwards();
		if (storm_now() > latest)
			storm_broken("the number of jumps");
	}
}

static void listen(void)
{
	void *handle = RTLD_DEFAULT;

	if (!dlsym(handle, "copse_begin"))
		return;
	heard = true;
	begin = (void (*)(const char *))dlsym(handle, "copse_begin");
	end = (void (*)(const char *))dlsym(handle, "copse_end");
	hold = (void (*)(void))dlsym(handle, "copse_pause");
	resume = (void (*)(void))dlsym(handle, "copse_resume");
}

static void (*chosen(const char *word))(void)
{
	static const struct {
		const char *word;
		void (*what)(void);
	} all[] = { { "phases", say_phases },
		    { "pauses", say_pauses },
		    { "exec", fail_to_exec } };

	for (int i = 0; i < STORM_COUNT(all); i++)
		if (!strcmp(word, all[i].word))
			return all[i].what;
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 2 || !chosen(argv[1]))
		return 2;
	storm_begins(argc, argv);
	listen();
	jump_begins(speak);
	storm(chosen(argv[1]));
	jump_ends();
	puts("through");
	return 0;
}
