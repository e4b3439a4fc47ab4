/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-completion.c - what a shell needs to complete copse's command line. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "tools/command.h"

static void print_words(const struct command *command)
{
	char name[OPTION_SIZE];
	const char *word, *help;

	printf("\t%s) words='--help", command->name);
	for (const struct option *o = command->options; o && o->name; o++)
		printf(" --%s", option_name(o, name));
	fputs("' first='", stdout);
	for (size_t i = 0; command->word && (word = command->word(i, &help));
	     i++)
		printf(" %s", word);
	puts("' ;;");
}

static int completion(int argc, char **argv)
{
	if (argc != 1 || strcmp(argv[0], "bash") != 0)
		return fail(-EINVAL, "which shell? known: bash");
	puts("# Completion of copse for bash: . <(copse completion bash)\n"
	     "_copse()\n"
	     "{\n"
	     "\tlocal words='' first='' word=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tCOMPREPLY=()\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	     "\t\twords='--help --version'");
	for (size_t i = 0; commands[i]; i++)
		printf("\t\twords+=' %s'\n", commands[i]->name);
	puts("\telse case ${COMP_WORDS[1]} in");
	for (size_t i = 0; commands[i]; i++)
		print_words(commands[i]);
	puts("\tesac; fi\n"
	     "\tcase $COMP_CWORD:$word in\n"
	     "\t2:[!-]*) mapfile -t COMPREPLY < <(compgen -W \"$first\" "
	     "-- \"$word\") ;;\n"
	     "\t1:*|*:-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
	     "\"$word\") ;;\n"
	     "\tesac\n"
	     "}\n"
	     "complete -o default -o bashdefault -F _copse copse");
	return 0;
}

const struct command command_completion = {
	.name = "completion",
	.synopsis = "bash",
	.help = "print the completion of this command line for a shell",
	.run = completion,
};
