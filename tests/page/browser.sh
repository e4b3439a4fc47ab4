#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# browser.sh - the page that copse report -f html writes: its modules in node,
# and pages in headless Chromium, where every view opens, light and dark,
# without an error on the console and without a request.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
page=$srcdir/tests/page
cd "$scratch" || exit 99

# need_node: of Debian 12 or newer, which has a test runner.
need_node() {
	need node
	node --help | grep -q -e '--test ' -e '--test$' ||
		skip "node $(node --version) has no --test"
}

modules() {
	need_node
	node --test "$page/modules.test.mjs" >out 2>&1 || { cat out; return 1; }
}

# record NAME RANKS PROGRAM [ARGUMENT…]: NAME.copse and its page NAME.html
record() {
	name=$1
	ranks=$2
	shift 2
	[ -x "$1" ] || skip "$1 was not built"
	need_node
	need mpirun
	if [ "$ranks" = 0 ]; then
		set -- "$copse" run -q --force -o "$name.copse" "$@"
	else
		set -- mpirun -n "$ranks" "$copse" run -q --force \
			-o "$name.copse" "$@"
	fi
	"$@" >out 2>&1 || { cat out; return 1; }
	"$copse" report -f html -o "$name.html" "$name.copse"
}

# look WHAT NAME [FILE…]: looks.mjs, at NAME.html
look() {
	what=$1
	need_node
	[ -s "$2.html" ] || skip "there is no page of that run"
	file=$2.html
	shift 2
	node "$page/looks.mjs" "$what" "$file" "$@"
}

four_ranks() {
	record demo 4 "$programs/demo" 150 &&
		"$copse" report hotspots -f json -n 0 demo.copse >spots.json &&
		"$copse" report split -f json demo.copse >split.json &&
		look run demo spots.json split.json
}

# What was when, and iterations, of a program that has both.
what_was_when() {
	COPSE_IO=on record stages 4 "$programs/mpi-stages" slow=20 extra=0.5 &&
		"$copse" report timeline -f json stages.copse >time.json &&
		"$copse" report iterations -f json stages.copse >steps.json &&
		"$copse" report split -f json stages.copse >parts.json &&
		"$copse" report io -f json stages.copse >io.json &&
		look time stages time.json steps.json parts.json io.json
}

phases() {
	record marked 4 "$programs/mpi-stages" marked=1 &&
		"$copse" report tree -f json marked.copse >tree.json &&
		look phase marked tree.json
}

diff_of_runs() {
	[ -s demo.html ] || skip "there is no run of 4 ranks"
	record again 4 "$programs/demo" 100 || return
	"$copse" report diff -f html -o diff.html demo.copse vs again.copse &&
		"$copse" report diff -f json demo.copse vs again.copse >diff.json &&
		look diff diff diff.json
}

# Of so many ranks that the page has no exact values of all.
served() {
	make_ranks=$builddir/tests/bench/make-ranks
	[ -x "$make_ranks" ] || skip "no make-ranks"
	[ -e "$builddir/libcopse-view.so" ] || skip "no libmicrohttpd here"
	[ -s demo.html ] || skip "there is no run of 4 ranks"
	mkdir job && "$make_ranks" demo.copse/rank-0.h5 job 80 values=1000 &&
		"$copse" merge -q job -o many.h5 || return
	"$copse" view many.h5 >said 2>&1 &
	server=$!
	wait_for grep -q 'serves until' said || { cat said; return 1; }
	node "$page/looks.mjs" live \
		"$(sed -n 's|.*\(http://127.0.0.1:[0-9]*/[0-9a-f]*/\).*|\1|p' said)"
	code=$?
	kill -TERM $server && wait $server
	return $code
}

made_streams() {
	made=$builddir/tests/gpu
	COPSE_CUPTI=$made/libmade-cuda.so COPSE_GPU_TRACE=16 \
		record steps 0 "$made/made" steps 20 &&
		"$copse" report gpu-trace -f json steps.copse >work.json &&
		look streams steps work.json
}

made_gpus() {
	export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
	[ -e "$COPSE_CUPTI" ] || skip "built without CUDA's headers"
	record gpu 2 "$builddir/tests/gpu/made-mpi" &&
		look views gpu gpu waits calls
}

# Of ranks with threads: regions of OpenMP, and who waited in them.
threads() {
	need mpicc
	mpicc -g -O1 -fopenmp -DWITH_MPI -Wno-unknown-attributes -o teams \
		"$srcdir/tests/programs/openmp.c" 2>built.err ||
		skip "mpicc has no OpenMP here"
	COPSE_OPENMP=on COPSE_LOCKS=on record teams 2 ./teams 3 &&
		"$copse" report threads -f json teams.copse >threads.json &&
		look threads teams threads.json
}

finding() {
	need_node
	node "$page/make-page.mjs" "$builddir/page/page.html" finding \
		>finding.html && look finding finding dot "ranks 2–3"
}

python() {
	cat >work.py <<-'P'
	def work(n):
	    return sum(i * i % 7 for i in range(n))
	for _ in range(20):
	    work(100000)
	P
	record python 0 "$(command -v python3)" work.py &&
		look views python flame hot callers
}

hostile() {
	need_node
	node "$page/make-page.mjs" "$builddir/page/page.html" 2 \
		"$page/hostile.json" >hostile.html &&
		look hostile hostile "$page/hostile.json"
}

made_diff() {
	need_node
	node "$page/make-page.mjs" "$builddir/page/page.html" diff >diff.html &&
		look views diff start flame hot callers
}

many_ranks() {
	need_node
	node "$page/make-page.mjs" "$builddir/page/page.html" 10240 >many.html &&
		look views many flame hot callers heat time steps
}

point "modules of the page, in node" modules
point "a run of 4 ranks: every view; sums equal copse report -f json" four_ranks
point "flame graph: click, keys, search, zoom, inverted, one rank" look flame demo
point "timeline and iterations: sums equal copse report -f json; drag, keys" what_was_when
point "a phase of the program selects in all views that know it" phases
point "an address that was mailed" look link demo
point "two runs: both sides equal copse report -f json" diff_of_runs
point "served by copse view: exact values are asked for" served
point "light and dark, by the system and by the button" look theme demo
point "one sheet of paper, light" look print demo
point "a run with GPUs" made_gpus
point "streams of GPUs: a zoom, arrows, beneath the timeline" made_streams
point "threads: times equal copse report threads -f json" threads
point "a click on a finding selects its path and its ranks" finding
point "a run of Python" python
point "hostile names stay text" hostile
point "a made diff" made_diff
point "10,240 made ranks" many_ranks
points_done
