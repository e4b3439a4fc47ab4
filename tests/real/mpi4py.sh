#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi4py.sh - Python with mpi4py: a program that links no MPI and opens
# it later.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/pi.py" <<'EOM'
import time
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()


def part(first, steps):
    total = 0.0
    for i in range(first, steps, size):
        x = (i + 0.5) / steps
        total += 4.0 / (1.0 + x * x)
    return total / steps


started = time.time()
steps = comm.bcast(1000000 if rank == 0 else None)
for i in range(3):
    pi = comm.allreduce(part(rank, steps * (rank + 1)))
    neighbour = comm.sendrecv(rank, dest=(rank + 1) % size,
                              source=(rank - 1) % size)
    comm.Barrier()
    if rank == 0:
        print("round %d: %.12f, neighbour %d" % (i, pi, neighbour))
sizes = comm.gather(rank * rank)
if rank == 0:
    print("squares", sizes)
    print("time", time.time() - started)
EOM

without_times() {
	grep -v '^time'
}

# Not every python3 in the path is the one that Debian's packages are for.
run_python() {
	need mpirun
	for python in python3 /usr/bin/python3; do
		"$python" -c 'import mpi4py' 2>/dev/null || continue
		run_both 2 "$python" "$scratch/pi.py"
		return
	done
	skip "no mpi4py here"
}

# Lines of Python whose calls of MPI have the same stack of C.
cat >"$scratch/lines.py" <<'EOM'
from mpi4py import MPI

comm = MPI.COMM_WORLD


def odd(i):
    comm.Barrier()
    return i % 3


def even(i):
    if i % 4:
        comm.Barrier()
    else:
        comm.Barrier()
    return [comm.Barrier() for _ in range(2)]


for i in range(2000):
    (odd if i % 2 else even)(i)
EOM

# calls_are VERIFY: as many of each line as there are, by words or by walks.
calls_are() {
	need mpirun
	/usr/bin/python3 -c 'import mpi4py' 2>"$scratch/why" ||
		skip "no Python 3.11 with mpi4py here"
	profile=$scratch/lines.copse
	rm -rf "$profile"
	mpirun -n 2 "$copse" run -q --verify "$1" -o "$profile" \
		/usr/bin/python3 "$scratch/lines.py" || return
	"$copse" report "$profile" -f csv --table losses >"$scratch/losses" ||
		return
	! grep verify "$scratch/losses" || return
	"$copse" report mpi-calls "$profile" -n 0 -f csv >"$scratch/calls" ||
		return
	awk -F, '/^MPI_Barrier/ { print $5, $2 }' "$scratch/calls" |
		sed 's/←.*← \([^ ]*\) ← <module>.*/\1/' | sort >"$scratch/found"
	cat "$scratch/found"
	printf '%s\n' '1000 MPI_Barrier even' '1000 MPI_Barrier even' \
		'2000 MPI_Barrier odd' '4000 MPI_Barrier even' |
		cmp - "$scratch/found"
}

# One rank does more: it is named, with the functions that kept it, the line of
# Python that called them, and where the others waited.
cat >"$scratch/uneven.py" <<'EOM'
import time
from mpi4py import MPI

comm = MPI.COMM_WORLD


def refine(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        sum(range(500))


def smooth():
    refine(0.04)


def step():
    refine(0.01)
    if comm.Get_rank() == 1:
        smooth()
    comm.allreduce(1)


for _ in range(30):
    step()
EOM

uneven_rank_is_named() {
	need mpirun
	/usr/bin/python3 -c 'import mpi4py' || skip "no mpi4py here"
	profile=$scratch/uneven.copse
	rm -rf "$profile"
	mpirun -n 2 "$copse" run -q -o "$profile" \
		/usr/bin/python3 "$scratch/uneven.py" || return
	"$copse" report --width 400 "$profile" >"$scratch/found" || return
	cat "$scratch/found"
	had_cores "$profile" || skip "others have the cores here"
	grep 'Rank 1 .*refine ← uneven.py:14 smooth' "$scratch/found" |
		grep 'in MPI_[A-Za-z]* ← uneven.py:21 step'
}

point "runs with and without copse" run_python
point "prints the same" after_run same_but without_times
point "leaves a profile of each rank" after_run one_profile_per_rank 2
# Waiting may come first, on cores that others use too.
point "the function of Python is hot" after_run hot_function part
point "calls by line of Python" calls_are off
point "the same, verified" calls_are on
point "MPI time is there" after_run mpi_time_is_there
point "one rank does more" uneven_rank_is_named
points_done
