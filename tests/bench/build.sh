#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh - seconds from a clean clone of the checkout's last commit to an
# installed copse, step by step: processor time and elapsed time.  The floor is
# the compiler alone: the same files compiled and linked by the same command
# lines, without make and the shells of its recipes.  Of the floor,
# what files that are made take (the wrappers of MPI), and what one file of no
# content takes: the start of a compiler.
#
#   JOBS   default: as many as cores
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
jobs=${JOBS:-$(cores)}
commands=$scratch/commands
export commands

# step NAME COMMAND…
step() {
	local name=$1

	shift
	cpu_and_wall "$@"
	echo "$name: $cpu s of processor time, $wall s elapsed"
	all_cpu=$(calculate "${all_cpu:-0} + $cpu")
	all_wall=$(calculate "${all_wall:-0} + $wall")
}

# Each command line of the compiler is written down, to be run again.
logging_compiler() {
	cat >"$scratch/cc" <<-'END'
		#!/bin/bash
		printf -v line '%q ' cd "$PWD" '&&' "${0##*/}" "$@"
		line=${line/ \\&\\& /" && "}
		[ -z "$IN_BUILD" ] || echo "$line" >>"$commands"
		exec "$REAL_CC" "$@"
	END
	chmod +x "$scratch/cc"
	REAL_CC=$(command -v "$CC")
	export REAL_CC
}

# again PATTERN: the command lines that have it, JOBS at a time.
again() {
	grep -e "$1" "$commands" | sed "s: && cc : \&\& $REAL_CC :" |
		xargs -d '\n' -P "$jobs" -n 1 sh -c
}

git clone -q "$srcdir" "$scratch/copse" || exit
logging_compiler
cd "$scratch/copse" || exit
step "autoreconf" autoreconf -fi
mkdir build && cd build || exit
step "configure" ../configure CC="$scratch/cc" --prefix="$scratch/installed"
export IN_BUILD=yes
step "make -j$jobs" make "-j$jobs"
step "make install" make -s install
unset IN_BUILD
echo "all of it: $all_cpu s of processor time, $all_wall s elapsed"
: >"$scratch/empty.c"
empty() {
	for ((i = 0; i < 20; i++)); do
		"$CC" -O2 -c -o "$scratch/empty.o" "$scratch/empty.c"
	done
}
for what in ' -[co] ' ' -c .*[/-]wrappers\.' ' -c .*[/-]fortran\.'; do
	cpu_and_wall again "$what"
	echo "floor, $(grep -ce "$what" "$commands") command lines with" \
		"'$what': $cpu s of processor time, $wall s elapsed"
done
cpu_and_wall empty
echo "a file of no content: $(calculate "$cpu / 20") s"
