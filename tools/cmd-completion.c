/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmd-completion.c - copse completion: what makes a shell ask copse itself what
 * may come next, and the answers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "tools/command.h"
#include "tools/help.h"

/* Each asks `copse completion words WORD…` for lines of a word and its help. */
static const struct {
	const char *name, *help, *script;
} shells[] = {
	{ "bash", "for ~/.bashrc: . <(copse completion bash)",
	  "_copse()\n"
	  "{\n"
	  "\tlocal copse=${COMP_WORDS[0]/#\\~/$HOME}\n"
	  "\tmapfile -t COMPREPLY < <(\"$copse\" completion words \\\n"
	  "\t\t\"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null | cut -f 1)\n"
	  "}\n"
	  "complete -o default -o bashdefault -F _copse copse\n" },
	{ "zsh", "for ~/.zshrc: . <(copse completion zsh)",
	  "#compdef copse\n"
	  "_copse()\n"
	  "{\n"
	  "\tlocal -a lines found\n"
	  "\tlines=(${(f)\"$(${~words[1]} completion words \\\n"
	  "\t\t\"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
	  "\tfound=(\"${(@)${(@)lines//:/\\\\:}/$'\\t'/:}\")\n"
	  "\t(( $#lines )) && _describe -V copse found || _files\n"
	  "}\n"
	  "if [ \"$funcstack[1]\" = _copse ]; then\n"
	  "\t_copse \"$@\"\n"
	  "else\n"
	  "\tcompdef _copse copse\n"
	  "fi\n" },
	{ "fish", "for config.fish: copse completion fish | source",
	  "function __copse_words\n"
	  "\tset -l before (commandline -opc)\n"
	  "\tset -l last (commandline -ct)\n"
	  "\tset -l found ($before[1] completion words $before[2..-1] "
	  "\"$last\" 2>/dev/null)\n"
	  "\tif set -q found[1]\n"
	  "\t\tprintf '%s\\n' $found\n"
	  "\telse\n"
	  "\t\t__fish_complete_path \"$last\"\n"
	  "\tend\n"
	  "end\n"
	  "complete -c copse -f -a '(__copse_words)'\n" },
};

static const char *shell_word(size_t i, const char **help)
{
	bool known = i < sizeof(shells) / sizeof(shells[0]);

	*help = known ? shells[i].help : NULL;
	return known ? shells[i].name : NULL;
}

static int print_completion(int argc, char **argv)
{
	const char *name, *help;

	if (argc && !strcmp(argv[0], "words")) {
		offers_print(argc - 1, argv + 1);
		return 0;
	}
	for (size_t i = 0; argc == 1 && (name = shell_word(i, &help)); i++) {
		if (strcmp(argv[0], name) != 0)
			continue;
		fputs(shells[i].script, stdout);
		return 0;
	}
	return fail(-EINVAL, "which shell? known: bash, zsh and fish");
}

const struct command command_completion = {
	.name = "completion",
	.synopsis = "bash|zsh|fish",
	.help = "print the completion of this command line for a shell",
	.words = "shells",
	.word = shell_word,
	.stop_at_first = true, /* other words are no options of ours */
	.run = print_completion,
};
