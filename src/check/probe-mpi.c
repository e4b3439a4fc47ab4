/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-mpi.c - the MPI libraries whose calls can be measured, and the job's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/probe.h"
#include "launch/preload.h"
#include "launch/program.h"

/* What a wrapper library is for, beside its word. */
static const struct {
	const char *word, *means;
} families[] = {
	{ "abi", "the MPI-5 ABI (libmpi_abi)" },
	{ "mpich", "MPICH (and by its ABI, not tried: Intel MPI, Cray MPICH)" },
	{ "openmpi", "Open MPI" },
};

static const struct {
	const char *word, *function;
} unwrapped[] = {
#include "check/unwrapped.inc"
	{ NULL, NULL }
};

static bool has_wrappers(const char *word)
{
	char file[64], path[PATH_MAX];

	snprintf(file, sizeof(file), "libcopse-mpi-%s.so", word);
	return !preload_find(file, path);
}

/* Another name behind those that are there. */
static void add_name(char *to, size_t size, const char *name)
{
	size_t used = strlen(to);

	snprintf(to + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Functions that the library's mpi.h has, and that this copse does not know. */
static void say_unwrapped(struct finding *to)
{
	char names[128] = "";
	size_t count = sizeof(unwrapped) / sizeof(*unwrapped) - 1;

	for (size_t i = 0; i < count && i < 3; i++)
		add_name(names, sizeof(names), unwrapped[i].function);
	if (count > 3)
		add_name(names, sizeof(names), "...");
	if (count)
		probe_instead(to, "%zu functions of mpi.h are not counted: %s",
			      count, names);
}

void probe_wrappers(struct finding *to, const struct doctor *d)
{
	char built[192] = "";

	(void)d;
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (has_wrappers(families[i].word))
			add_name(built, sizeof(built), families[i].means);
	if (*built) {
		probe_found(to, FINDING_YES, "for %s", built);
		say_unwrapped(to);
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
	char line[128];

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
		if (has_wrappers(known[i].word)) {
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
