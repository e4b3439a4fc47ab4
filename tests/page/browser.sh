#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# browser.sh - the page that copse report -f html writes: its modules in node,
# and pages in headless Chromium, where every view opens, light and dark,
# without an error on the console and without a request.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
page=$srcdir/tests/page
cd "$scratch" || exit 99

modules() {
	need node
	node --test "$page/modules.test.mjs" >out 2>&1 || { cat out; return 1; }
}

# record NAME RANKS PROGRAM [ARGUMENT…]: NAME.copse and its page NAME.html
record() {
	name=$1
	ranks=$2
	shift 2
	[ -x "$1" ] || skip "$1 was not built"
	need node mpirun
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
	need node
	[ -s "$2.html" ] || skip "there is no page of that run"
	file=$2.html
	shift 2
	node "$page/looks.mjs" "$what" "$file" "$@"
}

four_ranks() {
	record demo 4 "$programs/demo" 150 &&
		"$copse" report hotspots -f json -n 0 demo.copse >spots.json &&
		look run demo spots.json
}

made_gpus() {
	export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
	[ -e "$COPSE_CUPTI" ] || skip "built without CUDA's headers"
	record gpu 2 "$builddir/tests/gpu/made-mpi" &&
		"$copse" report diagnose -f json gpu.copse >findings.json &&
		look views gpu gpu waits calls
}

finding() {
	look finding gpu findings.json
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
	need node
	node "$page/make-page.mjs" "$builddir/page/page.html" 2 \
		"$page/hostile.json" >hostile.html &&
		look hostile hostile "$page/hostile.json"
}

many_ranks() {
	need node
	node "$page/make-page.mjs" "$builddir/page/page.html" 10240 >many.html &&
		look views many flame hot callers heat
}

point "modules of the page, in node" modules
point "a run of 4 ranks: every view; sums equal copse report -f json" four_ranks
point "flame graph: click, keys, search, zoom, inverted, one rank" look flame demo
point "light and dark, by the system and by the button" look theme demo
point "one sheet of paper, light" look print demo
point "a run with GPUs" made_gpus
point "a click on a finding selects its path and its ranks" finding
point "a run of Python" python
point "hostile names stay text" hostile
point "10,240 made ranks" many_ranks
points_done
