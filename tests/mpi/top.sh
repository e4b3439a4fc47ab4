#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# top.sh - a job that goes on (copse top): what its ranks do, seen twice, as
# lines, and on a terminal; and that it does not notice.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
need mpirun mpicc

# Rank 2 computes for 60 ms of CPU time, the others for 2: then all meet.
cat >late.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double x = 1;

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void work(double seconds)
{
	double end = cpu() + seconds;

	while (cpu() < end)
		for (int i = 0; i < 10000; i++)
			x = x * 0.999 + 1;
}

int main(int argc, char **argv)
{
	int rank, steps = atoi(argv[argc - 1]), sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < steps; i++) {
		work(rank == 2 ? 0.06 : 0.002);
		MPI_Allreduce(MPI_IN_PLACE, &rank, 1, MPI_INT, MPI_MAX,
			      MPI_COMM_SELF);
		MPI_Barrier(MPI_COMM_WORLD);
		sum += i;
	}
	MPI_Finalize();
	printf("%d\n", sum);
	return 0;
}
C
# Ranks that wait leave the cores to others.
export OMPI_MCA_mca_base_env_list="LD_PRELOAD=$builddir/tests/lib/naps.so"

start_job() {
	rm -rf late.copse
	mpirun -n 4 "$copse" run --quiet -o late.copse ./late "$1" >out 2>&1 &
	job=$!
	wait_for goes_on
}

goes_on() {
	"$copse" top --once --delay 0.1 -f csv --table ranks late.copse >ranks &&
		[ "$(wc -l <ranks)" = 5 ]
}

end_job() {
	kill -INT "$job"
	wait_up_to 30 is_over || kill -KILL "$job"
	wait "$job"
	:
}

is_over() {
	! kill -0 "$job" 2>/dev/null || grep -q '^State:.*Z' "/proc/$job/status"
}

# The rank that is waited for comes first, with the function that it is in.  One
# or two of the others may have left the barrier just then.
shows_the_late_rank() {
	start_job 100000 || return
	"$copse" top --once --delay 2 -f csv --table ranks late.copse >ranks
	"$copse" top --once --delay 2 --width 120 late.copse >text
	end_job
	cat ranks text
	awk -v columns='rank mpi cores calls now' -f "$srcdir/tests/lib/csv.awk" \
		ranks | awk -F '\t' '
		NR == 1 { good = $1 == 2 && $2 < 0.5 && $3 > 0.2 }
		NR > 1 { good = good && $2 > 0.5 && $4 > 4 }
		$5 ~ /^MPI_Barrier/ { waits++ }
		END { exit !good || !waits || NR != 4 }' &&
		grep -q 'Others wait for rank 2' text &&
		grep -q '%.*work ← main' text
}

# One rank, and which ranks are in some call paths.
chooses() {
	start_job 100000 || return
	"$copse" top --once --delay 2 --rank 2 --width 120 late.copse >one
	"$copse" top --once --delay 2 --in Barrier -f csv --table ranks \
		late.copse >there
	"$copse" top --once --delay 0.5 --rank 7 late.copse >none
	"$copse" top --once --rank x late.copse >wrong 2>&1
	status=$?
	end_job
	cat one there none wrong
	grep -q 'In the last .*: rank 2, ' one && grep -q '%.*work ← main' one &&
		! grep -q '^ *[013]  ' one && grep -q 'Rank 7 is not' none &&
		[ $status != 0 ] && grep -q 'wants a number, not x' wrong &&
		awk -v columns='rank there' -f "$srcdir/tests/lib/csv.awk" there |
		awk -F '\t' 'NR < 4 { good += $1 != 2 && $2 > 0.5 }
			NR == 4 { good += $1 == 2 && $2 < 0.5 }
			END { exit good != 4 }'
}

# Until the run ends, by itself, with what it would have said.
writes_lines() {
	need python3
	start_job 60 || return
	"$copse" top --stream --delay 0.5 late.copse >lines || return
	wait "$job" || return
	cat out
	wc -l lines
	python3 - <<-'END' && [ "$(grep -x '[0-9]*' out | sort -u)" = 1770 ]
		import json
		looks = [json.loads(line) for line in open("lines")]
		assert len(looks) >= 2
		ranks = [len(look["tables"]["ranks"]) for look in looks]
		# They end one after the other.
		assert ranks[0] == 4 and ranks == sorted(ranks, reverse=True), ranks
	END
}

# On a terminal of 100 by 30, until q.
draws_a_screen() {
	need python3
	start_job 100000 || return
	COPSE=$copse python3 - <<-'END'
		import fcntl, os, pty, select, struct, sys, termios, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.environ["TERM"] = "xterm"
		    os.execv(os.environ["COPSE"], ["copse", "top", "-d", "0.5", "late.copse"])
		fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
		seen, end, asked, chosen = b"", time.time() + 60, False, False
		while time.time() < end:
		    if select.select([fd], [], [], 0.2)[0]:
		        try:
		            more = os.read(fd, 65536)
		        except OSError:
		            break
		        if not more:
		            break
		        seen += more
		    if not chosen and seen.count(b"q: end") >= 2:
		        os.write(fd, b"r12\x7f\x7f2\n")
		        chosen = True
		    if not asked and chosen and b": rank 2, " in seen:
		        os.write(fd, b"aq")
		        asked = True
		status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
		text = seen.decode("utf-8", "replace")
		print(text)
		screens = text.split("\033[H")[1:]
		longest = max(s.count("\r\n") for s in screens)
		print(status, len(screens), longest)
		good = (status == 0 and asked and longest < 30 and "MPI_Barrier" in text
		        and text.count("\033[?1049h") == text.count("\033[?1049l") == 1)
		sys.exit(not good)
	END
	good=$?
	end_job
	return $good
}

# What the report of a job says while it goes on.
reports_so_far() {
	start_job 100000 || return
	sleep 2
	"$copse" report late.copse >summary 2>&1
	end_job
	cat summary
	grep -q 'goes on: this is what its processes' summary &&
		grep -q 'rank 2' summary
}

# Two profiles of one job: their difference is what came between.
makes_snapshots() {
	start_job 100000 || return
	"$copse" control -o one.copse late.copse snapshot || return
	sleep 2
	"$copse" control -o two.copse late.copse snapshot || return
	end_job
	"$copse" report diff -n 0 -f csv --table paths one.copse two.copse >change
	grep work change
	awk -v columns='change call_path' -f "$srcdir/tests/lib/csv.awk" change |
		awk -F '\t' '$2 ~ /^work ← main/ { more += $1 }
			END { print more; exit !(more > 0.5 && more < 8) }'
}

# For Prometheus: what its format wants, and a file that goes with the run.
keeps_metrics() {
	start_job 100000 || return
	"$copse" top --metrics job.prom -d 0.5 late.copse &
	watching=$!
	wait_for grep '^copse_waited_for_rank.* 2$' job.prom
	good=$?
	cp job.prom seen.prom
	end_job
	wait $watching || good=1
	cat seen.prom
	awk '
		/^# HELP / { help[$3] = NF > 3; next }
		/^# TYPE / { type[$3] = $4; next }
		{
			name = $0
			sub(/[{].*/, "", name)
			if (!help[name] || $0 !~ /^[a-z_]+[{]run="late.copse".*[}] -?[0-9.e+]+$/ ||
			    (type[name] == "counter") != (name ~ /_total$/))
				bad = 1
			n++
		}
		END { print n, bad + 0; exit bad || n < 12 || n > 60 }' seen.prom &&
		[ $good = 0 ] && ! ls job.prom* || return
	! command -v promtool >/dev/null || promtool check metrics <seen.prom
}

no_such_run() {
	"$copse" top --once none.copse >said 2>&1
	status=$?
	cat said
	[ $status = 1 ] && grep -q 'no run of yours that is none.copse' said
}

mpicc -O2 -g -o late late.c || exit 99
point "the rank that others wait for comes first" shows_the_late_rank
point "a rank, and call paths with a word" chooses
point "a line of JSON for each look" writes_lines
point "a screen that is drawn anew" draws_a_screen
point "the report of a job that goes on" reports_so_far
point "snapshots, and their difference" makes_snapshots
point "metrics for Prometheus" keeps_metrics
point "no such run" no_such_run
points_done
