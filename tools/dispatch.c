/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.c - libcopse-tools.so: finds the subcommand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

#include "base/err.h"
#include "base/spelling.h"
#include "launch/harvest.h"
#include "tools/command.h"
#include "tools/run-end.h"
#include "tools/help.h"
#include "tools/out.h"
#include "tools/tools.h"

#define COMMAND(name) extern const struct command command_##name;
#include "tools/commands.inc"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "tools/commands.inc"
#undef COMMAND
	NULL
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *to)
{
	fputs("usage: copse COMMAND [options] [arguments]\n\n", to);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(to, "  %-12s ", commands[i]->name);
		wrap_text(to, commands[i]->help, 15, 80);
	}
	fputs("\ncopse COMMAND --help lists the command's options, copse help "
	      "WORD says what a\ncommand, an analysis, an option, a metric or "
	      "a word of a report is.\n"
	      "To start: copse run ./program, or "
	      "mpirun -n 4 copse run ./program\n",
	      to);
}

static int unknown_command(const char *name)
{
	struct spelling near;

	spelling_begin(&near, name);
	guess_command(&near);
	fprintf(stderr,
		"copse: there is no command '%s'%s copse --help lists them\n",
		name, spelling_hint(&near));
	return 2;
}

static bool is_either_word(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static int dispatch_command(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_usage(stderr);
		return 2;
	}
	if (is_either_word(argv[1], "--version", "-V")) {
		printf("copse %s\n", PACKAGE_VERSION);
		return 0;
	}
	if (is_either_word(argv[1], "--help", "-h") ||
	    !strcmp(argv[1], "help")) {
		if (argc > 2)
			return explain(argc - 2, argv + 2);
		print_usage(stdout);
		return 0;
	}
	command = command_find(argv[1]);
	return command ? command_main(command, argc - 1, argv + 1)
		       : unknown_command(argv[1]);
}

/* What is below has the buffer. */
static int dispatch_clean(int argc, char **argv)
{
	int status;

	out_begin();
	status = dispatch_command(argc, argv);
	if (fflush(out_below(stdout)) && !status) {
		fprintf(stderr, "copse: cannot write: %s\n", strerror(errno));
		status = 1;
	}
	return status;
}

extern const struct tools copse_tools;

/* All that leaves the library. */
__attribute__((visibility("default"))) const struct tools copse_tools = {
	.version = PACKAGE_VERSION,
	.dispatch = dispatch_clean,
	.finish = finish_harvest,
	.conclude = conclude_print,
	.reason = fail_reason,
};
