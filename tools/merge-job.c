/* SPDX-License-Identifier: BSD-3-Clause */
/* merge-job.c - copse merge becomes the program for the launcher's MPI. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/install-dir.h"
#include "base/str.h"
#include "launch/job.h"
#include "tools/merge-job.h"

/*
 * The MPIs whose processes the launcher can bring together, the likelier one
 * first.  srun does it by PMIx or by PMI, as it was told.
 */
static void find_mpis(const struct job *job, const char *mpis[2])
{
	bool open = job->launcher == LAUNCHER_MPIRUN ||
		    (job->launcher == LAUNCHER_SRUN && !getenv("PMI_RANK"));
	bool other = job->launcher != LAUNCHER_MPIRUN;

	mpis[0] = open ? "openmpi" : "mpich";
	mpis[1] = open && other ? "mpich" : NULL;
}

/* The arguments are those that this process was started with. */
static char **own_arguments(void)
{
	static char text[1 << 17];
	static char *argv[1 << 12];
	FILE *from = fopen("/proc/self/cmdline", "re");
	size_t size = from ? fread(text, 1, sizeof(text) - 1, from) : 0;
	size_t count = 0;

	if (from)
		fclose(from);
	if (size == sizeof(text) - 1)
		return NULL;
	for (size_t at = 0;
	     at < size && count < sizeof(argv) / sizeof(*argv) - 1; at++)
		if (!at || !text[at - 1])
			argv[count++] = text + at;
	return count > 2 ? argv + 1 : NULL; /* "merge" is the new name */
}

/* Beside this command, as built, or where it was installed to. */
static void become_merge(const char *mpi)
{
	static const char *const places[] = { "", "/../libexec/copse" };
	char **argv = own_arguments();
	char folder[PATH_MAX], *path;

	if (!argv || install_dir(folder))
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		path = str_format("%s%s/copse-merge-%s", folder, places[i],
				  mpi);
		if (path)
			execv(path, argv);
		free(path);
	}
	path = str_format("%s/copse-merge-%s", PKGLIBEXECDIR, mpi);
	if (path)
		execv(path, argv);
	free(path);
}

/* The first does it alone; the others would only be in its way. */
static int merge_without_mpi(const struct job *job)
{
	if (job->rank > 0)
		return 0;
	fprintf(stderr, "copse merge: no copse-merge program for this "
			"launcher's MPI is installed: one process merges\n");
	return MERGE_ALONE;
}

int merge_job_begin(bool good_arguments)
{
	const char *mpis[2];
	struct job job;

	job_init(&job);
	if (!good_arguments || !job.launched || job.size < 2)
		return MERGE_ALONE;
	find_mpis(&job, mpis);
	for (size_t i = 0; i < 2 && mpis[i]; i++)
		become_merge(mpis[i]);
	return merge_without_mpi(&job);
}
