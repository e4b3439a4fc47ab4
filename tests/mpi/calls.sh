#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls.sh - calls and bytes of each MPI function are those that the
# program itself counted, with each MPI, and it behaves as without copse.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99

# forks MPI PROGRAM: no MPI promises that a child can go on with it; where it
# can without copse, it can with it.
forks() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	launch "$1" 1 "$2" >plain 2>err || { cat plain err; return 1; }
	grep -q 'ended with 7' plain || skip "not without copse: $(cat plain)"
	rm -rf forks.copse
	launch "$1" 1 "$copse" run --quiet -o forks.copse "$2" >with 2>err ||
		{ cat with err; return 1; }
	diff plain with
}

# forked_beside_threads MPI PROGRAM: a lock may be another thread's at a fork.
forked_beside_threads() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	rm -rf forks.copse
	launch "$1" 1 "$copse" run --quiet -o forks.copse "$2" >with 2>err ||
		{ cat with err; return 1; }
	cat with
	grep -q 'failed: 0\|not possible' with
}

# A program with a function of its own for each that is more than counted, as
# tools have that are linked into it; they call MPI by its other names.
own_wrappers() {
	compiler=mpicc suffix=
	[ "$1" = openmpi ] || { compiler=mpicc.$1 suffix=.$1; }
	need "$compiler"
	{
		echo '#include <mpi.h>'
		awk -f "$srcdir/mpi/row.awk" -f - \
			"$builddir/mpi/$1/mpi/prototypes.txt" \
			"$srcdir/mpi/functions.tbl" <<'END'
has_work {
	print "#ifndef " name
	print type name "(" list ") { return P" name "(" args "); }"
	print "#endif"
}
END
	} >own.c
	"$compiler" -w -g -O1 -I "$srcdir" -I "$srcdir/tests/programs" \
		-o "own$suffix" "$srcdir/tests/programs/mpi-calls.c" own.c \
		-pthread || return
	counts_right "$1" 2 "./own$suffix"
}

# The same in Fortran: the binding calls C, by PMPI_Send, but not where it waits
# for no request.
own_fortran() {
	need mpifort mpicc
	[ -x "$programs/mpi-fortran.openmpi.mpif_h" ] ||
		skip "no wrappers for Fortran were built"
	cat >fortran.c <<'END'
#define FORTRAN_GATE(symbol, function, parameters, arguments) \
	void p##symbol parameters __attribute__((weak)); \
	void symbol parameters { p##symbol arguments; }
#define FORTRAN_HAND(symbol, function)
#include <mpi.h>
END
	awk '/^GATE\(MPI/ { has_work = 0 }
		/^GATE\(PMPI/ { has_work = 1 }
		/^#/ || (/^FORTRAN_GATE/ && has_work && !/mpi_waitall_,/)' \
		"$builddir/mpi/openmpi/mpi/gates.inc" >>fortran.c
	mpicc -w -c -I "$srcdir" fortran.c || return
	mpifort -O2 -g -w -fallow-argument-mismatch -DWAY_mpif_h \
		-Wl,--no-as-needed -o fortran \
		"$srcdir/tests/programs/mpi-fortran.F90" fortran.o || return
	counts_right openmpi 2 ./fortran
}

# requests MPI PROGRAM: of two ranks each sends the other what it says, and no
# message less is received.
requests() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	rm -rf requests.copse
	launch "$1" 2 "$copse" run --quiet -o requests.copse "$2" >out 2>err ||
		{ cat out err; return 1; }
	"$copse" report matrix requests.copse -f csv >csv || return
	sed -n 's/^messages //p' out |
		awk '{ print $1 "," $2, $3, $4, $3, $4 }' | sort >want
	awk -F , 'NR > 1 { print $1 "," $2, $4, $5, $7, $8 }' csv | sort |
		diff want -
}

# short_messages MPI PROGRAM...: what came counts, not the room that there was.
short_messages() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	rm -rf calls.copse
	mpi=$1
	shift
	launch "$mpi" 2 "$copse" run --quiet -o calls.copse "$@" >out 2>err ||
		{ cat out err; return 1; }
	reported >is || return
	grep -w -e MPI_Send -e MPI_Irecv -e MPI_Imrecv -e MPI_Start is
	grep -qx 'MPI_Send 1100 8800 0' is &&
		grep -qx 'MPI_Imrecv 101 0 800' is &&
		grep -qx 'MPI_Irecv 901 0 7200' is &&
		grep -qx 'MPI_Start 100 0 800' is || return
	"$copse" report matrix calls.copse -f csv | tee csv
	awk -F , '$1 == 1 && $2 == 0 { right = $7 == 1100 && $8 == 8800 }
		END { exit !right }' csv
}

# MPICH 4.2 drops all requests of an MPI_Waitall without statuses that fails, and
# not those of one with statuses, which copse asks for.
comparable() {
	known=/none/
	mpichversion 2>&1 | grep -q 'Version: *4\.[1-9]' && [ "$1" = mpich ] &&
		known='/^waitall, statuses 0, persistent 0/'
	awk "/^[a-z]+, statuses/ { known = $known } !known" "$2"
}

# truncated MPI PROGRAM: it is told the same errors as without copse.
truncated() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	launch "$1" 2 "$2" >plain 2>err || { cat plain err; return 1; }
	grep -q '^waitall: ' plain || { cat plain; return 1; }
	rm -rf calls.copse
	launch "$1" 2 "$copse" run --quiet -o calls.copse "$2" >with 2>err ||
		{ cat with err; return 1; }
	comparable "$1" plain >plainly
	comparable "$1" with | diff plainly -
}

# paths_apart MPI PROGRAM: paths of which any return address differs have their
# own calls, none is taken for the last one.
paths_apart() {
	[ -x "$2" ] || skip "$(basename "$2") was not built"
	rm -rf paths.copse
	launch "$1" 1 "$copse" run --quiet -o paths.copse "$2" >out 2>err ||
		{ cat out err; return 1; }
	"$copse" report mpi-calls -n 0 paths.copse -f csv >csv || return
	awk -F , '$1 == "MPI_Comm_rank" { print $5 }' csv | sort | uniq -c |
		awk '{ print "paths " $1 " of " $2 " calls" }' | diff out -
}

# counts_four [sessions]
counts_four() {
	grep -q MPI_Session_init "$programs/mpi-four.mpich" ||
		skip "this MPICH has no MPI-4"
	counts_right mpich 2 "$programs/mpi-four.mpich" "$@"
}

for ranks in 2 4; do
	point "Open MPI, $ranks ranks" counts_right openmpi $ranks \
		"$programs/mpi-calls"
done
for ranks in 2 3; do
	point "MPICH, $ranks ranks" counts_right mpich $ranks \
		"$programs/mpi-calls.mpich"
done
point "Open MPI: functions of the program's own before MPI's" \
	own_wrappers openmpi
point "MPICH: functions of the program's own before MPI's" \
	own_wrappers mpich
point "Open MPI: the same in Fortran" own_fortran
point "MPICH: large counts, persistent collectives, partitions, sessions" \
	counts_four
point "MPICH: sessions alone" counts_four sessions
point "Open MPI: errors, handlers, callbacks, ports, spawned processes, threads" \
	counts_right openmpi 2 "$programs/mpi-behaviour" dynamic
point "MPICH: errors, handlers, callbacks, threads" \
	counts_right mpich 2 "$programs/mpi-behaviour.mpich"
point "Open MPI: a forked child that calls MPI" \
	forks openmpi "$programs/mpi-forks"
point "MPICH: a forked child that calls MPI" \
	forks mpich "$programs/mpi-forks.mpich"
point "Open MPI: children forked while threads call MPI" \
	forked_beside_threads openmpi "$programs/mpi-forks-threads"
point "Open MPI: threads make and use windows" \
	counts_right openmpi 2 "$programs/windows-threads"
point "MPICH: threads make and use windows" \
	counts_right mpich 2 "$programs/windows-threads.mpich"
point "Open MPI: threads complete requests" \
	requests openmpi "$programs/requests-threads"
point "MPICH: threads complete requests" \
	requests mpich "$programs/requests-threads.mpich"
point "Open MPI: messages that are shorter than their buffers" \
	short_messages openmpi "$programs/mpi-short"
point "MPICH: messages that are shorter than their buffers" \
	short_messages mpich "$programs/mpi-short.mpich"
point "Open MPI: the same, completed by another thread" \
	short_messages openmpi "$programs/mpi-short" threads
point "MPICH: the same, completed by another thread" \
	short_messages mpich "$programs/mpi-short.mpich" threads
point "Open MPI: errors of messages that are longer than their buffers" \
	truncated openmpi "$programs/mpi-truncated"
point "MPICH: errors of messages that are longer than their buffers" \
	truncated mpich "$programs/mpi-truncated.mpich"
point "any return address tells paths apart" \
	paths_apart openmpi "$programs/mpi-paths"
points_done
