/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-mpi.c - the MPI libraries whose calls can be measured, and the job's.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/probe.h"
#include "launch/preload.h"
#include "launch/program.h"

#define BEFORE "libcopse-mpi-"
#define AFTER  ".so"

/* "openmpi" of a wrapper library's file name, or false. */
static bool command_word_of(const char *file, char *to, size_t size)
{
	size_t before = strlen(BEFORE), length = strlen(file);

	if (length <= before + strlen(AFTER) ||
	    strncmp(file, BEFORE, before) != 0 ||
	    strcmp(file + length - strlen(AFTER), AFTER) != 0)
		return false;
	snprintf(to, size, "%.*s", (int)(length - before - strlen(AFTER)),
		 file + before);
	return true;
}

void probe_wrappers(struct finding *to, const struct doctor *d)
{
	char folder[PATH_MAX], words[128] = "", word[32];
	struct dirent *entry;
	DIR *in = NULL;
	size_t used = 0;

	(void)d;
	if (!preload_find("libcopse.so", folder)) {
		*strrchr(folder, '/') = 0;
		in = opendir(folder);
	}
	while (in && (entry = readdir(in)))
		if (command_word_of(entry->d_name, word, sizeof(word)) &&
		    used < sizeof(words))
			used += (size_t)snprintf(words + used,
						 sizeof(words) - used, "%s%s",
						 used ? ", " : "", word);
	if (in)
		closedir(in);
	if (used) {
		probe_found(to, FINDING_YES, "for %s", words);
		return;
	}
	probe_found(to, FINDING_ABSENT, "this copse was built without any");
	probe_instead(to,
		      "MPI programs are sampled; their calls are not counted "
		      "and load balance is not known");
	probe_mend(to, "build copse where Open MPI or MPICH is installed");
}

static const struct {
	const char *says, *word, *name;
} known[] = {
	{ "Open MPI", "openmpi", "Open MPI" },
	{ "OpenRTE", "openmpi", "Open MPI" },
	{ "Intel", "mpich", "Intel MPI" },
	{ "HYDRA", "mpich", "MPICH" },
};

/* The first line that `mpirun --version` prints. */
static void version_of(const char *command, char *to, size_t size)
{
	FILE *from = popen(command, "re");

	*to = 0;
	if (!from)
		return;
	if (!fgets(to, (int)size, from))
		*to = 0;
	to[strcspn(to, "\n")] = 0;
	pclose(from);
}

void probe_mpirun(struct finding *to, const struct doctor *d)
{
	struct program program;
	char line[128], library[64], path[PATH_MAX];

	(void)d;
	if (program_find(&program, "mpirun")) {
		probe_found(to, FINDING_ABSENT, "there is none on the PATH");
		probe_instead(to, "srun and other launchers do as well");
		return;
	}
	version_of("exec mpirun --version </dev/null 2>/dev/null", line,
		   sizeof(line));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strstr(line, known[i].says))
			continue;
		snprintf(library, sizeof(library), BEFORE "%s" AFTER,
			 known[i].word);
		if (!preload_find(library, path)) {
			probe_found(to, FINDING_YES, "%s: %s", program.path,
				    line);
			return;
		}
		probe_found(to, FINDING_LIMITED,
			    "%s is of %s: no wrappers for "
			    "it",
			    program.path, known[i].name);
		probe_instead(to,
			      "its programs are sampled, their MPI calls are "
			      "not counted");
		return;
	}
	probe_found(to, FINDING_LIMITED,
		    "%s says '%s': an MPI that copse does "
		    "not know",
		    program.path, line);
	probe_instead(to, "its programs are sampled, their MPI calls are not "
			  "counted");
}
