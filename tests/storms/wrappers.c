/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrappers.c PLUGIN - a thread sends SIGUSR1 all the time to another one that
 * calls the functions which the collector stands in front of.  The handler
 * calls those that may be called in a handler.
 */
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>

#include "storm.h"

static const char *plugin;
static pthread_t target;
static volatile unsigned long received;
static volatile bool over;

static void on_trap(int signum)
{
	(void)signum;
}

/* SIGTRAP has one of two handlers, whatever was interrupted. */
static void check_trap(const struct sigaction *action)
{
	if (action->sa_handler != SIG_IGN && action->sa_handler != on_trap)
		storm_broken("sigaction");
}

/* C libraries before 2.34 have none; others that fork take locks. */
__attribute__((weak)) pid_t _Fork(void);

static KEPT void on_user(int signum)
{
	struct sigaction trap;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, signum);
	sigprocmask(SIG_BLOCK, &set, &old);
	if (!sigismember(&old, signum))
		storm_broken("sigprocmask");
	sigaction(SIGTRAP, NULL, &trap);
	check_trap(&trap);
	if (received++ % 64 == 0 && _Fork) {
		pid_t pid = _Fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void *sender(void *unused)
{
	while (!over) {
		unsigned long before = received;

		pthread_kill(target, SIGUSR1);
		while (received == before && !over)
			sched_yield();
	}
	return unused;
}

static KEPT void *nothing(void *unused)
{
	return unused;
}

static KEPT void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL))
		storm_broken("pthread_create");
	pthread_join(thread, NULL);
}

static KEPT void load(void)
{
	void *handle = dlopen(plugin, RTLD_NOW);

	if (!handle || dlclose(handle))
		storm_broken("dlopen");
}

static KEPT void change_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction handle = { .sa_handler = on_trap }, old;
	sigset_t set, now;

	sigaction(SIGTRAP, &handle, &old);
	check_trap(&old);
	sigaction(SIGTRAP, &ignore, &old);
	if (old.sa_handler != on_trap)
		storm_broken("sigaction");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, &now);
	if (!sigismember(&now, SIGUSR2) || signal(SIGUSR2, SIG_IGN) != SIG_IGN)
		storm_broken("the mask");
}

static KEPT void fail_to_exec(void)
{
	if (execl("/no/such/program", "none", (char *)NULL) != -1)
		storm_broken("execl");
}

/* What a program says of itself, when there is one to listen. */
static KEPT void phases(void)
{
	void (*begin)(const char *) =
		(void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_begin");
	void (*end)(const char *) =
		(void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_end");

	for (int i = 0; begin && end && i < 100; i++) {
		begin("phase");
		end("phase");
	}
}

static void storm(void)
{
	void (*const all[])(void) = { make_thread, load, change_signals,
				      fail_to_exec, phases };

	while (storm_lasts())
		for (int i = 0; i < STORM_COUNT(all); i++)
			all[i]();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_user,
				    .sa_flags = SA_RESTART };
	pthread_t thread;

	if (argc < 2)
		return 2;
	plugin = argv[1];
	storm_begins(argc, argv);
	target = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGTRAP, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	if (pthread_create(&thread, NULL, sender, NULL))
		return 1;
	storm();
	over = true;
	pthread_join(thread, NULL);
	puts("through");
	return 0;
}
