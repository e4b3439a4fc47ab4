#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reports.sh - what all reports have in common: options that are theirs or
# refused, tables with a head where there is nothing to show, JSON as its schema
# says, as many rows as a page takes; what the summary says of time without
# samples.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

analyses=$("$copse" report --help |
	awk '/^analyses:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')

measure() {
	"$copse" run -q -o app.copse "$programs/steady" 0.3 >out 2>&1 ||
		{ cat out; return 1; }
	[ "$(echo "$analyses" | wc -l)" -gt 15 ]
}

# refuses WORDS ARGUMENTS…: as bad usage, with those words.
refuses() {
	words=$1
	shift
	"$copse" report "$@" >out 2>err
	is=$?
	cat err
	[ "$is" = 2 ] && [ ! -s out ] && grep -qF -e "$words" err
}

# Each option at an analysis that has no use for it, and its own analyses.
strangers() {
	refuses '--by-line; what does: copse report hotspots' \
		--by-line app.copse &&
		refuses '--bottom-up; what does: copse report tree' \
			hotspots --bottom-up app.copse &&
		refuses 'report tree' imbalance --prune 5 app.copse &&
		refuses 'report scaling' ranks --weak app.copse &&
		refuses '--metric; what does: copse report summary, diagnose' \
			waits -m cpu.time app.copse &&
		refuses '--idle-threads; what does: ' gpu-kernels \
			--idle-threads=on app.copse
}

# What the help says an option is for is what takes it.
friends() {
	for words in 'hotspots --by-line' 'tree --bottom-up' 'tree --prune 0' \
		'hotspots -m cpu.time' 'tree --idle-threads=on'; do
		# shellcheck disable=SC2086 # a list of words
		"$copse" report $words app.copse >out || return 1
	done
}

formats() {
	refuses "no format 'xml'; known are: text, csv, json, folded" \
		-f xml app.copse && ! grep junit err &&
		refuses 'junit is a format of copse gate' -f junit app.copse
}

# A head, and it is not a tree's.
heads() {
	for analysis in gpu-kernels gpu-api gpu-transfers gpu-memory \
		gpu-devices gpu-ranges gpu-trace gpu-idle gpu-host gpu-power \
		gpu-stalls gpu-counters; do
		"$copse" report $analysis app.copse -f csv >csv || return 1
		echo "$analysis: $(cat csv)"
		[ "$(wc -l <csv)" = 1 ] || return 1
		! grep '^depth,' csv || return 1
	done
}

cat >validate.py <<'EOF'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
judge = jsonschema.Draft7Validator(schema)
for name in sys.argv[2:]:
    report = json.load(open(name))
    for error in judge.iter_errors(report):
        sys.exit("%s: %s" % (name, error.message))
    for table in report["tables"]:
        for spoiled in ({table: 1}, {table: [[]]}, {table: [{"a": []}]}):
            assert not judge.is_valid(dict(report, tables=spoiled))
    for key in report:
        assert not judge.is_valid({k: report[k] for k in report if k != key})
    assert not judge.is_valid(dict(report, version=2))
    assert not judge.is_valid(dict(report, lines=[1]))
EOF

python=
for try in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$try" -c 'import jsonschema' 2>/dev/null ||
		python=$try
done

# second RUN: what $analysis needs besides the first.
second() {
	case $analysis in
	scaling | diff) echo "$1" ;;
	esac
}

# Of each analysis but counters, whose events are not everywhere, and of gate.
schema() {
	[ -n "$python" ] || skip "python3-jsonschema is not here"
	rm -f ./*.json
	for analysis in $analyses; do
		[ "$analysis" != counters ] || continue
		# shellcheck disable=SC2046 # a word or none
		"$copse" report "$analysis" -f json app.copse \
			$(second app.copse) >"$analysis.json" || return 1
	done
	"$copse" gate -f json --fail-if 'total>99%' app.copse vs app.copse \
		>gate.json || return 1
	"$python" validate.py "$srcdir/share/report.schema.json" ./*.json
}

# Phases that programs begin by the thousand, some that differ in digits, and two
# that never end.
cat >phases.py <<'EOF'
import ctypes
copse = ctypes.CDLL(None)
def work():
    return sum(i for i in range(2000))
for i in range(60):
    name = b"phase-%c%c" % (97 + i // 26, 97 + i % 26)
    copse.copse_begin(name)
    for _ in range(400 if i == 33 else 1):
        work()
    copse.copse_end(name)
for i in range(30):
    copse.copse_begin(b"step %d of 30" % i)
    copse.copse_end(b"")
copse.copse_begin(b"lost")
copse.copse_begin(b"open")
EOF

phases() {
	need python3
	"$copse" run -q -o phases.copse python3 phases.py || return
	"$copse" report efficiency phases.copse >text || return
	cat text
	[ "$(grep -cE '^  (phase-|step #)' text)" = 20 ] || return
	grep -q '^  phase-bh ' text &&
		grep -q 'The longest 20 of 61 phases are shown' text &&
		grep -q '^2 phases were not ended, as ' text || return
	"$copse" report efficiency -n 3 phases.copse >text
	[ "$(grep -cE '^  (phase-|step #)' text)" = 3 ] || return
	"$copse" report efficiency -f csv phases.copse >csv
	cat csv
	[ "$(grep -c '^phase-' csv)" = 60 ] &&
		[ "$(grep -c '^step # of #,1,30,' csv)" = 1 ]
}

# Sleep has no samples of CPU time.  (Not any python3: some are scripts that
# start many processes, which wait for cores.)
sleeps() {
	python=/usr/bin/python3
	need $python
	nap='import time; time.sleep(3)'
	"$copse" run -q -o nap.copse $python -c "$nap" || return
	"$copse" report nap.copse >text || return
	head -n 8 text
	tr '\n' ' ' <text | grep -qE \
		'• (9[0-9]|100) % blocked: [23].* s: sleep, files.*copse run  *-e wall' ||
		return
	"$copse" run -q -e wall -o awake.copse $python -c "$nap" || return
	"$copse" report split awake.copse >text || return
	cat text
	grep -q ' blocked  *.*<module>$' text
}

# What a script starts beside the work: one line, and the work has the title.
small_processes() {
	cat >job <<-S
		for i in 1 2 3 4 5 6; do ls / >/dev/null; done
		"$programs/steady" 4 >/dev/null
		ls / | sort >/dev/null
	S
	"$copse" run -q --budget 0 --freq 5000 -o job.copse sh job || return
	"$copse" report job.copse >text || return
	cat text
	grep -q '^summary · .*/steady 4 · 1 process$' text &&
		grep -q '^1 process × 1 thread on ' text &&
		grep -q '^Beside it [1-9][0-9]* process.* (.*ls.*) with ' text &&
		! grep '^per process' text
}

# The first rank alone, and what is no rank.
one_rank() {
	"$copse" run -q -o one.copse "$programs/steady" 0.3 >out || return
	mv one.copse/*.h5 one.copse/rank-7.h5
	"$copse" report hotspots --rank 7 one.copse | grep ' steady[.]c:' ||
		return
	for wrong in 8 x; do
		"$copse" report hotspots --rank $wrong one.copse 2>err && return 1
		cat err
		grep -q "rank-$wrong.h5; --rank wants\|not 'x'" err || return
	done
	! "$copse" report hotspots --rank 7 one.copse one.copse 2>err &&
		grep 'one run at a time' err
}

# In one line at the end of the first screen, at length in a report of its own.
measurement() {
	"$copse" report app.copse >text || return
	tail -n 1 text | grep '^Measured: [0-9]* samples, 50 ± .* · cost ' ||
		{ cat text; return 1; }
	"$copse" report measurement app.copse >text || return
	cat text
	grep -q '^Measured with [0-9]* samples, ' text &&
		grep -q '^Measuring cost ' text && grep -q '  *process ' text
}

programs_differ() {
	for name in other steady.16 steady.4; do
		cp "$programs/steady" $name || return
		"$copse" run -q -o "$name.copse" "./$name" 0.2 >out 2>&1 ||
			{ cat out; return 1; }
	done
	"$copse" report scaling app.copse other.copse >text
	grep 'steady and other are not the same program' text || return
	"$copse" report scaling steady.4.copse steady.16.copse >text
	! grep 'the same program' text
}

# Its place is told where it is known, and nothing stands for it elsewhere.
# What the loader and the interpreter touch first is no loop that allocates.
no_faults_of_starts() {
	"$copse" run -q -o start.copse /usr/bin/python3 -c pass >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report diagnose -f csv start.copse >text || return
	cat text
	! grep page-faults text
}

loops_of_python() {
	cat >loop.py <<-'EOM'
		import time
		def add_up(until):
		    total = 0
		    while time.time() < until:
		        for i in range(1000): total += i * i
		add_up(time.time() + 0.5)
	EOM
	"$copse" run -q -o loop.copse /usr/bin/python3 loop.py >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report diagnose --width 500 loop.copse >text || return
	cat text
	grep -q 'time behind start-up is in add_up ← loop.py:6 <module>, at loop.py:5,' text
}

# What Python's library does for a line of the program's, by kind.
patterns_of_python() {
	cat >patterns.py <<-'EOM'
		import re
		def clean(text, word):
		    return re.sub(r"\b%s(_\d+)?\b" % word, "-", text)
		def book():
		    for i in range(6000):
		        clean("one two three", "w%d" % (i % 700))
		book()
	EOM
	"$copse" run -q -o patterns.copse /usr/bin/python3 patterns.py >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report diagnose --width 500 patterns.copse >text || return
	cat text
	grep -q 'clean ← patterns.py:6 book.* is compiling regular expr' text &&
		! grep -q 'compute with whole arrays' text
}

pickling_of_python() {
	cat >pickling.py <<-'EOM'
		import multiprocessing
		class Model:
		    def __init__(self): self.table = {i: str(i) for i in range(90000)}
		    def look(self, key): return self.table[key]
		def main():
		    with multiprocessing.Pool(2) as pool:
		        pool.map(Model().look, range(24), chunksize=1)
		if __name__ == "__main__":
		    main()
	EOM
	"$copse" run -q -o pickling.copse /usr/bin/python3 pickling.py >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report diagnose --width 500 pickling.copse >text || return
	cat text
	grep -q 'main ← pickling.py:9.* is pickling objects' text
}

# Threads that wait in all ways, on two ranks, with work for a made GPU, and
# names that are longer than any column.
make_wide_runs() {
	cat >wide.c <<-'C'
		#include <pthread.h>
		static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		static volatile double sum;
		static void a_function_with_a_name_longer_than_a_column(long n) {
			for (long i = 0; i < n; i++)
				sum += i;
		}
		static void *locks(void *unused) {
			for (int i = 0; i < 100; i++) {
				pthread_mutex_lock(&m);
				a_function_with_a_name_longer_than_a_column(100000);
				pthread_mutex_unlock(&m);
			}
			return unused;
		}
		int main(void) {
			pthread_t t[3];
			for (int k = 0; k < 20; k++) {
		#pragma omp parallel for schedule(dynamic) num_threads(3)
				for (int i = 0; i < 20; i++)
					a_function_with_a_name_longer_than_a_column(100000);
			}
			for (int i = 0; i < 3; i++)
				pthread_create(t + i, 0, locks, 0);
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], 0);
			return 0;
		}
	C
	cc -g -fopenmp wide.c -o wide && "$copse" run -q -g software --locks=on \
		-o wide-threads.copse ./wide || return 1
	mpirun -n 2 "$copse" run -q -o wide-ranks.copse "$programs/demo" 2 >out 2>&1
	[ -e "$builddir/tests/gpu/made-mpi" ] &&
		COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so" mpirun -n 2 \
			"$copse" run -q -o wide-gpus.copse \
			"$builddir/tests/gpu/made-mpi" >out 2>&1
	[ -e wide-ranks.copse ]
}

# No line is wider than --width, whatever there is to show.
widths() {
	need cc mpirun
	make_wide_runs || return 1
	lines=0
	for run in wide-*.copse; do
		for analysis in $analyses; do
			# shellcheck disable=SC2046,SC2086 # lists of words
			for width in 40 80; do
				"$copse" report $analysis --width $width $run \
					$(second wide-ranks.copse) >out 2>err
				lines=$((lines + $(wc -l <out)))
				[ "$(wc -L <out)" -le $width ] && continue
				echo "$run: $analysis --width $width"
				cat out
				return 1
			done
		done
	done
	[ $lines -gt 500 ]
}

# tells_of_lines OPTION: of a program that was compiled so.
tells_of_lines() {
	need cc
	echo 'volatile double s; int main(void) { for (int i = 0; i < 90000000;
		i++) s += i; return 0; }' >lines.c
	cc -O1 "$@" -o "lines$1" lines.c && "$copse" run -q "./lines$1" &&
		"$copse" report --width 500 "lines$1" >out || return 1
	cat out
	grep -q '^lines-w was built without -g: ' out
}

tells_not_of_lines() {
	! tells_of_lines "$1"
}

# starts WHAT: again and again, which maps and allocates in the C library.
starts() {
	cat >starts.c <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <pthread.h>
		#include <sys/wait.h>
		#include <time.h>
		#include <unistd.h>
		static void *end(void *unused)
		{
			return unused;
		}
		__attribute__((noinline)) static void again(char what)
		{
			pthread_t thread;
			void *library;
			pid_t child;

			switch (what) {
			case 't':
				if (!pthread_create(&thread, NULL, end, NULL))
					pthread_join(thread, NULL);
				break;
			case 'l':
				library = dlopen("libpthread.so.0", RTLD_NOW);
				if (library)
					dlclose(library);
				library = dlmopen(LM_ID_NEWLM, "libm.so.6",
						  RTLD_NOW);
				if (library)
					dlclose(library);
				break;
			default:
				child = fork();
				if (!child)
					_exit(0);
				waitpid(child, NULL, 0);
			}
		}
		int main(int argc, char **argv)
		{
			while (clock() < CLOCKS_PER_SEC / 2)
				again(argc > 1 ? *argv[1] : 't');
			return 0;
		}
	C
	"${CC:-cc}" -O1 -g -o starts starts.c -ldl -pthread || return
	rm -rf starts.copse
	"$copse" run -q -o starts.copse ./starts "$1" &&
		"$copse" report diagnose -f csv starts.copse >said || return
	cat said
	! grep '^copies,' said &&
		{ [ "$1" != libraries ] || grep '^starting,' said; }
}

point "a program is measured" measure
point "reports keep to their width" widths
point "what a build without -g lacks is told once" tells_of_lines -w
for option in -g -s; do
	point "not of one with $option" tells_not_of_lines $option
done
point "the start of a process is no finding" no_faults_of_starts
for what in threads libraries processes; do
	point "starting $what is no allocating of the program" starts $what
done
point "a loop in Python is remarked on" loops_of_python
point "regular expressions that are compiled again are found" patterns_of_python
point "objects pickled with each task are found" pickling_of_python
point "an option of another analysis is refused" strangers
point "and taken by its own" friends
point "formats of other commands are refused, and not offered" formats
point "a table of nothing has its head" heads
point "JSON is what its schema says" schema
point "as many phases as a page takes" phases
point "a program that sleeps" sleeps
point "small processes are one line" small_processes
point "one rank alone" one_rank
point "how it was measured, in one line and at length" measurement
point "different programs do not scale" programs_differ
points_done
