#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# split.sh - what the time went into (copse report split): each part is what a
# program says itself, the sum of all is the whole, and all places of one run
# have the same figures.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
python=/usr/bin/python3

# judge WHAT… <PROGRAM: json has the report, out what the program said.  Time that
# the machine's host took away is in the program's truths, and no kernel's count.
judge() {
	need $python
	$python - "$@" <<-'P'
	import json, sys
	stolen = float(open("stolen").read())
	tables = json.load(open("json"))["tables"]
	parts = {p["part"]: p for p in tables["parts"]}
	whole = sum(p["seconds"] for p in parts.values())
	truths = dict(line.split()[1:] for line in open("out")
	              if line.startswith("truth"))
	bad = []
	for name, truth in truths.items():
	    if name not in sys.argv[1:]:
	        continue
	    found = parts.get(name, {}).get("seconds", 0)
	    if name == "work":
	        found += parts.get("alone", {}).get("seconds", 0)
	    print(name, "truth", truth, "found", round(found, 4), "of", whole,
	          "stolen", stolen)
	    if abs(found - float(truth)) > 0.05 * whole + stolen:
	        bad.append(name)
	if abs(sum(p["share"] for p in parts.values()) - 1) > 1e-5:
	    bad.append("shares")
	for beside in "ranks", "paths":
	    for name, part in parts.items():
	        sum_of = sum(r["seconds"] for r in tables[beside]
	                     if r["part"] == name)
	        if abs(sum_of - part["seconds"]) > 1e-6:
	            bad.append(f"{beside}: {name} {sum_of} {part['seconds']}")
	print(*bad)
	sys.exit(bool(bad))
	P
}

# In hundredths of a second, of all cores.
stolen_ticks() {
	awk '$1 == "cpu" { print $9 + 0 }' /proc/stat
}

# split_of [WORD…]: a run's, and what it printed.
split_of() {
	before=$(stolen_ticks)
	"$@" >out 2>&1 || { cat out; return 1; }
	echo "$(($(stolen_ticks) - before))e-2" >stolen
	"$copse" report split -n 0 -f json a.copse >json
}

ranks() {
	need mpirun
	[ -x "$programs/mpi-parts" ] || skip "no MPI compiler"
	split_of mpirun -n "$1" "$copse" run -q --force -o a.copse \
		"$programs/mpi-parts" 0.5 && judge work core blocked wait start
}

# A rank that comes late to MPI_Finalize is waited for there.
late_end() {
	need mpirun mpicc
	cat >late.c <<-'C'
		#include <mpi.h>

		#include "known.h"

		int main(int argc, char **argv)
		{
			double since;
			int rank;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			MPI_Barrier(MPI_COMM_WORLD);
			since = elapsed_seconds();
			if (!rank) {
				work_for(0.5);
				truth("wait", elapsed_seconds() - since);
				fflush(stdout);
			}
			return MPI_Finalize();
		}
	C
	mpicc -g -O1 -I"$srcdir/tests/programs" -o late late.c || return
	split_of mpirun -n 2 "$copse" run -q --force -o a.copse ./late &&
		judge wait || return
	"$copse" report --width 1000 a.copse | tee said
	grep -q 'waiting in MPI: .*ank 1 waited .*in MPI_Finalize ← main' said
}

# Where each part was: the functions of the program are named so.
places() {
	[ -e a.copse ] || skip "no run with MPI"
	"$copse" report split a.copse >said || return
	cat said
	grep -q ' work  *.*work ← main$' said &&
		grep -q ' waiting in MPI  *MPI_Allreduce ← meet ← main$' said &&
		grep -q ' starting and ending  *MPI_Init ← main$' said
}

# Elapsed time is sampled: what a program was blocked in is known.
blocked_in() {
	need mpirun
	[ -x "$programs/mpi-parts" ] || skip "no MPI compiler"
	split_of mpirun -n 2 "$copse" run -q --force -e wall -o a.copse \
		"$programs/mpi-parts" 0.5 && judge wait start || return
	"$copse" report split a.copse >said || return
	cat said
	grep -q ' blocked  *.*nap ← main$' said
}

threads() {
	"${CC:-cc}" -g -O1 -fopenmp -o omp "$srcdir/tests/programs/openmp.c" \
		-lm 2>said || skip "no OpenMP compiler"
	OMP_NUM_THREADS=2 split_of "$copse" run -q --force -o a.copse ./omp 1 &&
		judge || return
	# The first thread is alone in serial(), its team waits meanwhile.
	"$copse" report split a.copse | tee said
	grep -q 'waiting in OpenMP  *\[parallel openmp.c' said &&
		grep -q 'threads without a region' said
}

# Two threads, one in a critical section at a time: each says how long it waited.
critical() {
	cat >turns.c <<-'C'
		#include "known.h"

		int main(void)
		{
			double waited = 0, held = 0;

		#pragma omp parallel num_threads(2) reduction(+ : waited, held)
			for (int i = 0; i < 40; i++) {
				double came = elapsed_seconds(), in, out;

		#pragma omp critical(turn)
				{
					in = elapsed_seconds();
					work_for(0.01);
					out = elapsed_seconds();
				}
				waited += in - came;
				held += out - in;
			}
			truth("threads", waited);
			truth("held", held);
			return 0;
		}
	C
	"${CC:-cc}" -g -O1 -fopenmp -I"$srcdir/tests/programs" -o turns turns.c \
		2>said || { cat said; skip "no OpenMP compiler"; }
	split_of "$copse" run -q --force -o a.copse ./turns && cat out &&
		judge threads
}

processes() {
	split_of "$copse" run -q --force -o a.copse \
		"$programs/forker" 0.2 && judge
}

# Work first, then a nap: when each was, and in which phase.
course() {
	need $python
	cat >halves.c <<-'C'
		#include <copse.h>
		#include <time.h>
		#include "known.h"

		int main(void)
		{
			double begin = elapsed_seconds();

			copse_begin("first");
			work_for(0.5);
			copse_end("first");
			truth("first", elapsed_seconds() - begin);
			copse_begin("second");
			nanosleep(&(struct timespec){ 0, 500000000 }, NULL);
			copse_end("second");
			return 0;
		}
	C
	"${CC:-cc}" -g -O1 -I"$srcdir/tests/programs" -I"$srcdir/src" \
		halves.c -o halves -L"$builddir" -lcopse \
		-Wl,-rpath,"$builddir" || return
	split_of "$copse" run -q --force --trace 1000 -o a.copse ./halves || return
	cat out
	$python - <<-'P'
	import json, sys
	tables = json.load(open("json"))["tables"]
	half = float(open("out").read().split()[2])
	parts = {p["part"]: p["seconds"] for p in tables["parts"]}
	off = 0
	for name, seconds in parts.items():
	    bins = [b for b in tables["bins"] if b["part"] == name]
	    all = sum(b["seconds"] for b in bins)
	    late = sum(b["seconds"] for b in bins if b["begin"] > half)
	    if abs(all - seconds) > 1e-6:
	        sys.exit(f"{name}: {all} in bins, {seconds} in all")
	    if name == "work" and late > 0.1 * all:
	        sys.exit("work in the second half")
	    if name in ("blocked", "core"):
	        off += late
	if off < 0.9 * 0.5:
	    sys.exit(f"off a core for {off} s in the second half")
	phases = {(p["phase"], p["part"]): p["seconds"] for p in tables["phases"]}
	if abs(phases["first", "work"] - 0.5) > 0.1:
	    sys.exit("the first phase does not work")
	if phases["second", "off"] < 0.49:
	    sys.exit("the second phase is not off a core")
	P
}

seen_blocking() {
	cat >polls.c <<-'C'
		#include <time.h>
		#include "known.h"

		static KEPT void poll_queue(void)
		{
			nanosleep(&(struct timespec){ 0, 100000 }, NULL);
		}

		int main(void)
		{
			double end = elapsed_seconds() + 2;

			while (elapsed_seconds() < end)
				poll_queue();
			return 0;
		}
	C
	"${CC:-cc}" -g -O1 -I"$srcdir/tests/programs" -o polls polls.c &&
		"$copse" run -q --force -o a.copse ./polls || return
	"$copse" report --width 1000 a.copse | tee said
	grep -q 'blocked: .*; seen most in .*nanosleep ← poll_queue ← main' said
}

idle_workers() {
	cat >crew.c <<-'C'
		#include <pthread.h>
		#include "known.h"

		static pthread_barrier_t end;

		static KEPT void *waits(void *of)
		{
			work_for(0.01);
			pthread_barrier_wait(&end);
			return of;
		}

		int main(void)
		{
			pthread_t crew[3];

			pthread_barrier_init(&end, NULL, 4);
			for (int i = 0; i < 3; i++)
				pthread_create(&crew[i], NULL, waits, NULL);
			work_for(1);
			pthread_barrier_wait(&end);
			for (int i = 0; i < 3; i++)
				pthread_join(crew[i], NULL);
			return 0;
		}
	C
	"${CC:-cc}" -g -O1 -I"$srcdir/tests/programs" -o crew crew.c -pthread &&
		"$copse" run -q --force -o a.copse ./crew || return
	"$copse" report --width 1000 a.copse | tee said
	grep -q '3 threads of waits had a core for [01]\.[0-9] %' said
}

# The first screen says what the report says, a sentence for each large part.
screen() {
	need mpirun
	[ -x "$programs/mpi-parts" ] || skip "no MPI compiler"
	mpirun -n 2 "$copse" run -q --force -o a.copse "$programs/mpi-parts" 1 \
		>out 2>&1 || { cat out; return 1; }
	"$copse" report split -f json a.copse >json || return
	"$copse" report --width 1000 a.copse >said || return
	cat said
	$python - <<-'P'
	import json, re, sys
	parts = json.load(open("json"))["tables"]["parts"]
	text = open("said").read()
	line = next(l for l in text.split("\n") if re.match("Of .* s: ", l))
	for p in parts:
	    share = f"{100 * p['share']:.0f} % "
	    titles = {"wait": "waiting in MPI", "blocked": "blocked",
	              "start": "starting and ending"}
	    title = titles.get(p["part"])
	    if not title or p["share"] < 0.06:
	        continue
	    if share + title not in line or "• " + share + title not in text:
	        sys.exit(f"{share}{title} is not said")
	for line in text.split("\n"):
	    part = re.match(r"• (\d+) % (?!work)", line)
	    of_it = re.search(r"(\d+) % of all (?:ranks' )?time", line)
	    if part and of_it and int(of_it[1]) > int(part[1]) + 1:
	        sys.exit("more than its part: " + line)
	P
}

# Every other place has the same figures (page.sh: the page has, too).
alike() {
	need $python
	[ -e a.copse ] || skip "no run with MPI"
	for report in split summary imbalance timeline efficiency; do
		"$copse" report "$report" -n 0 -f json a.copse >$report.json ||
			return
	done
	"$copse" report diff -f json a.copse a.copse >diff.json &&
		"$copse" report split -n 0 -f csv --table ranks a.copse \
			>ranks.csv &&
		"$copse" report --width 1000 a.copse >said || return
	cat said
	$python - <<-'P'
	import csv, json, re, sys

	def table(report, name):
	    return json.load(open(report + ".json"))["tables"][name]

	def near(what, one, other, within=1e-5):
	    if abs(one - other) > within:
	        sys.exit(f"{what}: {one} and {other}")

	parts = {p["part"]: p["seconds"] for p in table("split", "parts")}
	whole = sum(parts.values())
	run, = table("summary", "run")
	work = parts.get("work", 0) + parts.get("alone", 0)
	near("efficiency", run["efficiency"], work / whole)
	strip = {r["quantity"]: r["max"] for r in table("summary", "strip")}
	most = {p["part"]: p["max"] for p in table("split", "parts")}
	near("waiting, the most", strip["waiting in MPI"], most["wait"], 1e-6)
	text = open("said").read()
	near("MPI, said", float(re.search(r"MPI ([0-9.]+) %", text)[1]),
	     100 * run["mpi_share_mean"], 0.051)
	shares = [r["mpi_share"] for r in table("imbalance", "ranks")]
	near("MPI, by rank", sum(shares) / len(shares), run["mpi_share_mean"])
	lines = [r["mpi"] for r in table("timeline", "lines")
	         if r["mpi"] is not None]
	near("ranks of the timeline", len(lines), len(shares))
	for one, other in zip(shares, lines):
	    near("timeline", one, other)
	for name, seconds in parts.items():
	    rows = [float(r["seconds"]) for r in csv.DictReader(open("ranks.csv"))
	            if r["part"] == name]
	    near(name + ", csv", sum(rows), seconds, 1e-6)
	for row in table("diff", "parts"):
	    near(row["part"] + ", diff", row["base"], parts[row["part"]], 1e-6)
	P
}

point "2 ranks: each part is what the program says" ranks 2
point "4 ranks" ranks 4
point "where each part was" places
point "other reports have the same figures" alike
point "a rank that comes late to the end" late_end
point "what it was blocked in, by samples of elapsed time" blocked_in
point "threads of OpenMP" threads
point "threads that wait for a critical section" critical
point "when each part was, and in which phase" course
point "processes without MPI" processes
point "what it blocks in, seen on its way there" seen_blocking
point "threads that have nothing to do" idle_workers
point "the first screen has these parts" screen
points_done
