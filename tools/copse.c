/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copse.c - the command: copse run, and what opens the library of all others.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "tools/command.h"
#include "tools/tools.h"

extern const struct command command_run;

static int begin_copse(int argc, char **argv)
{
	const struct tools *tools;

	if (argc > 1 && !strcmp(argv[1], command_run.name))
		return command_main(&command_run, argc - 1, argv + 1);
	tools = tools_open();
	return tools ? tools->dispatch(argc, argv) : -ENOEXEC;
}

static void on_large_file(int signo)
{
	(void)signo;
}

/*
 * Where a file may not be so large, write() says so, as of a full disk.  A
 * handler does not last in programs that we execute: SIG_IGN would.
 */
static void survive_large_files(void)
{
	const struct sigaction handled = { .sa_handler = on_large_file };
	struct sigaction usual;

	if (!sigaction(SIGXFSZ, NULL, &usual) && usual.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &handled, NULL);
}

int main(int argc, char **argv)
{
	int status;

	survive_large_files();
	status = stack_run(begin_copse, argc, argv);
	if (status < 0) {
		fprintf(stderr, "copse: %s\n", fail_reason());
		return 1;
	}
	if (fflush(stdout) && !status) {
		fprintf(stderr, "copse: cannot write: %s\n", strerror(errno));
		status = 1;
	}
	return status;
}
