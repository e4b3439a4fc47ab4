#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# lammps.sh - LAMMPS, a Lennard-Jones melt: Debian's build, unchanged.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/in.melt" <<'EOM'
units		lj
atom_style	atomic
lattice		fcc 0.8442
region		box block 0 20 0 20 0 20
create_box	1 box
create_atoms	1 box
mass		1 1.0
velocity	all create 1.44 87287 loop geom
pair_style	lj/cut 2.5
pair_coeff	1 1 1.0 1.0 2.5
neighbor	0.3 bin
neigh_modify	delay 0 every 20 check no
fix		1 all nve
thermo		50
run		200
EOM

# Times, rates and memory; what is left are the physics and the counts.
without_times() {
	grep -vE 'CPU|seconds|second|[Tt]ime|tau/day|Memory|memory|^(Pair|Neigh|Comm|Output|Modify|Other) '
}

run_melt() {
	need mpirun lmp
	cd "$scratch" || return
	run_both 4 lmp -log none -in in.melt
}

point "runs with and without copse" run_melt
point "prints the same" after_run same_but without_times
point "leaves a profile of each rank" after_run one_profile_per_rank 4
point "PairLJCut::compute is first" after_run first_function \
	'*PairLJCut::compute*'
point "95 % of the samples in its code have a name" after_run named \
	'(^|/)(lmp|liblammps)[^/]*$' 0.95
point "99 % of the ticks have a complete path" after_run complete 0.99
point "remembered paths are right" after_run paths_are_verified
point "MPI time is there" after_run mpi_time_is_there
point "imbalance is there" after_run imbalance_is_there
points_done
