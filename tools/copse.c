/* SPDX-License-Identifier: BSD-3-Clause */
/* copse.c - the command: finds its subcommand and prints its failure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

#include "base/err.h"
#include "tools/command.h"
#include "tools/stack.h"

#define COMMAND(name) extern const struct command command_##name;
#include "tools/commands.inc"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "tools/commands.inc"
#undef COMMAND
	NULL
};

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *to)
{
	fputs("usage: copse COMMAND [options] [arguments]\n\n", to);
	for (size_t i = 0; commands[i]; i++)
		fprintf(to, "  %-12s %s\n", commands[i]->name,
			commands[i]->help);
	fputs("\ncopse COMMAND --help lists the command's options.\n"
	      "To start: copse run ./program, or "
	      "mpirun -n 4 copse run ./program\n",
	      to);
}

static int run_command(const struct command *command, int argc, char **argv)
{
	int first = options_parse(command, argc, argv);
	int status;

	if (first == -ECANCELED) {
		command_help(command, stdout);
		return 0;
	}
	status = first < 0 ? first : command->run(argc - first, argv + first);
	if (status >= 0)
		return status;
	fprintf(stderr, "copse %s: %s\n", command->name, fail_reason());
	return status == -EINVAL ? 2 : 1;
}

static int unknown_command(const char *name)
{
	fprintf(stderr,
		"copse: there is no command '%s'; copse --help lists them\n",
		name);
	return 2;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;
	bool help;

	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("copse %s\n", PACKAGE_VERSION);
		return 0;
	}
	help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	       !strcmp(argv[1], "help");
	if (help && argc == 2) {
		print_usage(stdout);
		return 0;
	}
	command = command_find(argv[1 + help]);
	if (!command)
		return unknown_command(argv[1 + help]);
	if (help) {
		command_help(command, stdout);
		return 0;
	}
	return run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status = stack_run(dispatch, argc, argv);

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
