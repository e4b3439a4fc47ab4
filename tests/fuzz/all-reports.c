/* SPDX-License-Identifier: BSD-3-Clause */
/* all-reports.c DATABASE… - all that can be said of each, in one process. */
#include <stdio.h>

#include "base/err.h"
#include "tests/fuzz/exercise.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct run *run;

		if (run_load(&run, argv[i])) {
			fprintf(stderr, "%s\n", fail_reason());
			return 1;
		}
		exercise_reports(run);
		run_free(run);
	}
	return 0;
}
