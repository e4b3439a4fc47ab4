#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# merge-jobs.sh - of copse merge in several processes of a job the first one
# merges, with all cores of its host, and the others leave everything alone.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99

made() {
	"$copse" run -q -o model.copse "$programs/shares" 0.2 >out 2>&1 ||
		{ cat out; return 1; }
	mkdir job && "$builddir/tests/bench/make-ranks" model.copse/rank-0.h5 \
		job 3 && "$copse" merge -q job -o alone.h5
}

cores_here() {
	env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc
}

# said_once PATTERN
said_once() {
	[ "$(grep -c "$1" said)" -eq 1 ] || { cat said; return 1; }
}

# merged MPI PROCESSES BINDING…: what binds each process to a core.
merged() {
	mpi=$1 processes=$2
	shift 2
	[ -s alone.h5 ] || { echo "no job was made"; return 1; }
	rm -f by.h5
	launch "$mpi" "$processes" "$@" "$copse" merge job -o by.h5 >said 2>&1 || {
		cat said
		! grep -q 'no topology library available' said ||
			skip "this launcher binds no process"
		return 1
	}
	cmp alone.h5 by.h5 && said_once '^by.h5: 3 processes, ' &&
		said_once "the first of $processes processes merges, with \
$(cores_here) thread"
}

quiet() {
	launch "$1" 2 "$copse" merge -q -t 1 job -o quiet.h5 >said 2>&1 &&
		cmp alone.h5 quiet.h5 || { cat said; return 1; }
	! grep 'processes merges' said
}

# Also a directory that only another process names.
left_alone() {
	for n in 0 1; do
		rm -rf own-$n
		mkdir own-$n && cp job/rank-$n.h5 own-$n
	done
	# shellcheck disable=SC2016 # a word of the inner shell
	own='"$0" merge $1 own-${OMPI_COMM_WORLD_RANK:-$PMI_RANK}'
	launch "$1" 2 sh -c "$own" "$copse" >said 2>&1 || { cat said; return 1; }
	[ -s own-0/run.h5 ] && [ "$(ls own-1)" = rank-1.h5 ] || return
	launch "$1" 2 sh -c "$own" "$copse" --alone >said 2>&1 ||
		{ cat said; return 1; }
	[ -s own-1/run.h5 ] && ! grep 'processes merges' said
}

nothing_there() {
	mkdir -p empty
	launch "$1" 3 "$copse" merge empty >said 2>&1 && { cat said; return 1; }
	said_once 'empty: holds no profile'
}

point "a job is made" made
point "Open MPI, each bound to a core" merged openmpi 3 \
	--bind-to core:overload-allowed
point "MPICH, each bound to a core" merged mpich 3 -bind-to core
for mpi in openmpi mpich; do
	point "$mpi, nothing is said when all is well" quiet $mpi
	point "$mpi, a directory of another process" left_alone $mpi
	point "$mpi, nothing to merge is a clear end" nothing_there $mpi
done
points_done
