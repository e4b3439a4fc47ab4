#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# paths.sh - call paths are complete and true: programs that know their own,
# and programs whose stacks change in every way.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

sampled=$scratch/sampled

# The program's own functions of each path in the report, from t_… names; the
# function without a symbol is told by its module.  Then the samples.
own_paths() {
	"$copse" report tree -m samples -f folded "$profile" >"$scratch/folded" ||
		return
	awk '{
		samples = $NF
		sub(/ [0-9]+$/, "")
		count = split($0, frame, ";")
		path = ""
		if (frame[1] ~ /^partial\./)
			next
		for (i = 1; i <= count; i++) {
			name = frame[i]
			sub(/^.*chains-stripped\.so\+0x.*/, "t_nameless", name)
			sub(/^.*~/, "", name)
			# A stub of the linkage table is no function; a
			# constructor (t_guard::t_guard) is inlined.
			if (name ~ /^t_/ && name !~ /@plt$|::/)
				path = path (path == "" ? "" : ";") name
		}
		if (path != "")
			print samples, path
	}' "$scratch/folded" >"$sampled"
}

run_chains() {
	"$copse" run --quiet -o "$profile" --depth 1024 -e cpu@5000 \
		--budget 0 "$programs/chains" 1 >"$scratch/paths" && own_paths
}

enough() {
	awk '{ n += $1 } END { print n + 0 " samples"; exit !(n >= 100) }' \
		"$sampled"
}

# Exactly those that the program says it had.
paths_are_true() {
	awk 'NR == FNR { had[$2] = 1; next }
		!($2 in had) { print "never was: " $2; bad = 1 }
		END { exit bad }' "$scratch/paths" "$sampled"
}

# Each function of the program is in a path that was sampled.
all_functions() {
	for file in paths sampled; do
		sed 's/^[^ ]* //' "$scratch/$file" | tr ';' '\n' | sort -u \
			>"$scratch/functions.$file"
	done
	diff "$scratch/functions.paths" "$scratch/functions.sampled"
}

fortran() {
	grep -q t_fortran "$scratch/paths" || skip "no gfortran here"
	grep -q t_fortran "$sampled"
}

# verified NAME COMMAND…: what the memo says is what a full walk finds.
verified() {
	timeout -k 10 60 "$copse" run --quiet --force -o "$profile" --depth 1024 -e cpu@5000 \
		--budget 0 --verify on "$@" >/dev/null || return
	rows 'samples' summary --table run >"$scratch/rows" &&
		awk '{ print $1 " samples"; exit !($1 >= 100) }' \
			"$scratch/rows" || return
	rows 'name count' summary --table losses >"$scratch/rows" || return
	! grep verify "$scratch/rows"
}

# by_table COMMAND…: where the C library finds no object for copse, as before
# glibc 2.35.
by_table() (
	export LD_PRELOAD="$builddir/tests/storms/old-loader.so"
	"$@"
)

# Code at one address was that of two libraries, for a third and for two thirds.
swapped() {
	verified "$programs/dlswap" 1 &&
		rows 'function share' hotspots >"$scratch/rows" || return
	cat "$scratch/rows"
	awk '$1 == "hot_one" && $2 > 0.28 && $2 < 0.39 { n++ }
		$1 == "hot_two" && $2 > 0.61 && $2 < 0.72 { n++ }
		END { exit n != 2 }' "$scratch/rows"
}

# lives_on CASE: what astray.c does is what it does without copse.
lives_on() {
	cd "$scratch" || return
	set -- "$programs/astray" "$1" "$programs/dlswap-one.so" 0.5
	timeout -k 10 60 "$@" >plain 2>/dev/null
	status=$?
	timeout -k 10 60 "${with-$copse}" run --quiet --budget 0 -o "$profile" \
		--force -e cpu@10000 "$@" >with
	is=$?
	[ "$is" = "$status" ] || { echo "status $is, not $status"; return 1; }
	diff plain with || return
	rows samples summary --table run >rows &&
		awk '{ print $1 " samples"; exit !($1 >= 10) }' rows
}

# dies CASE: with a collector that trusts.
dies() {
	mkdir -p "$scratch/trusting" && cd "$scratch/trusting" || return
	cp "$copse" copse
	cp "$builddir/libcopse-tools.so" .
	cp "$builddir/tests/broken/trusting.so" libcopse.so
	with=$scratch/trusting/copse
	! lives_on "$1"
	[ $is -gt 128 ]
}

# On a stack that is not the thread's each path lacks its root: that is said
# first, and is all of them.
cut() {
	"$copse" run --depth 8 -o "$scratch/deep.copse" \
		"$programs/deep-stack" other 50 >"$scratch/deep" 2>&1 &&
		"$copse" report measurement "$scratch/deep.copse" \
			>>"$scratch/deep" || return
	cat "$scratch/deep"
	sed -n '1,/^hot paths/p' "$scratch/deep" |
		grep '^! 100 % of the call paths lack their root' &&
		grep -E '\(partial.depth\), (100|9[5-9]) %' "$scratch/deep"
}

# Code without unwind information, and without frame pointers, that does no more
# than call: the program's functions around it are known.
trampolines() {
	cat >"$scratch/trampolines.c" <<-'C'
		#include <string.h>
		#include <sys/mman.h>
		#include <time.h>
		typedef void calls(void (*)(void));
		static volatile int zero;
		static __attribute__((noinline)) void work(void)
		{
			clock_t until = clock() + CLOCKS_PER_SEC / 5;
			while (clock() < until)
				;
			zero = 0;
		}
		static __attribute__((noinline)) void by(calls *code)
		{
			code(work);
			zero = 0;
		}
		static calls *made(const char *code, size_t size)
		{
			return memcpy(mmap(NULL, 4096, PROT_READ | PROT_WRITE |
					   PROT_EXEC, MAP_PRIVATE |
					   MAP_ANONYMOUS, -1, 0), code, size);
		}
		#define MADE(code) made(code, sizeof(code) - 1)
		int main(void)
		{
			by(MADE("\x48\x83\xec\x08\xff\xd7\x48\x83\xc4\x08\xc3"));
			by(MADE("\x53\xff\xd7\x5b\xc3")); /* push %rbx */
			by(MADE("\x55\xff\xd7\x5d\xc3")); /* push %rbp */
			by(MADE("\x41\x54\x41\x55\x48\x83\xec\x18\xff\xd7"
				"\x48\x83\xc4\x18\x41\x5d\x41\x5c\xc3"));
			return zero;
		}
	C
	"${CC:-cc}" -g -O2 -fomit-frame-pointer -o "$scratch/trampolines" \
		"$scratch/trampolines.c" || return
	"$copse" run -q --verify on -o "$scratch/trampolines.copse" \
		"$scratch/trampolines" || return
	"$copse" report -f folded -m samples "$scratch/trampolines.copse" |
		tee "$scratch/folded"
	awk '{ n += $NF } /^main;by;\[no module\];work[; ]/ { at += $NF }
		END { exit at < 0.97 * n || n < 300 }' "$scratch/folded" &&
		! grep partial "$scratch/folded" &&
		! "$copse" report -f csv --table losses \
			"$scratch/trampolines.copse" | grep verify.differs
}

point "a program that knows its paths" run_chains
point "it has samples" after_run enough
point "every complete path is true" after_run paths_are_true
point "99 % of the ticks have a complete path" after_run complete 0.99
point "every shape of function was met" after_run all_functions
point "Fortran" after_run fortran
point "paths that are all cut are said to be" cut
point "code that was made, and only calls" trampolines
profile=$scratch/verified.copse
point "remembered paths are right: shapes" verified "$programs/chains" 1
point "remembered paths are right: a storm" verified \
	"$builddir/tests/storms/everything" "$programs/dlswap-one.so" 1
point "remembered paths are right: code that is replaced" verified \
	"$programs/dlswap" 1
point "code that is replaced, by a table of our own" by_table swapped
profile=$scratch/astray.copse
point "a module that comes and goes, by that table" by_table lives_on module
point "a module that cannot be read" lives_on unreadable
point "a module that comes and goes" lives_on module
point "a page that comes and goes" lives_on page
point "who trusts dies of the module" dies unreadable
point "who trusts dies of the page" dies page
points_done
