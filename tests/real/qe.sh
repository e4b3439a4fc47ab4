#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# qe.sh - Quantum ESPRESSO: its pw.x, Fortran with BLAS, LAPACK and FFTW,
# computes silicon, with a pseudopotential that its ld1.x makes.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/ld1.in" <<'EOM'
 &input
   title = 'Si', zed = 14., rel = 0, config = '[Ne] 3s2 3p2 3d-1',
   iswitch = 3, dft = 'PZ'
 /
 &inputp
   pseudotype = 1, lloc = 1, file_pseudopw = 'Si.UPF', tm = .true.
 /
3
3S 1 0  2.00 0.00 2.10 2.10
3D 3 2 -1.00 0.10 2.10 2.10
3P 2 1  2.00 0.00 2.10 2.10
EOM

cat >"$scratch/pw.in" <<'EOM'
 &control
   calculation = 'scf', prefix = 'si', pseudo_dir = '.', outdir = './tmp'
 /
 &system
   ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = 40
 /
 &electrons
 /
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 4 4 4 1 1 1
EOM

# Times, dates and memory; what is left is the physics.
without_times() {
	grep -vE 'CPU|WALL|[Mm]emory|RAM|starts on|terminated on|secs'
}

# One rank: more of them would mostly wait for each other where others use the
# cores too.
run_silicon() {
	need mpirun ld1.x pw.x
	cd "$scratch" || return
	ld1.x <ld1.in >ld1.out || return
	run_both 1 pw.x -in pw.in
}

converged() {
	grep '^!.*total energy' "$scratch/with" && grep 'JOB DONE' "$scratch/with"
}

point "runs with and without copse" run_silicon
point "finds the energy" after_run converged
point "prints the same" after_run same_but without_times
point "99 % of the ticks have a complete path" after_run complete 0.99
point "remembered paths are right" after_run paths_are_verified
# Its calls of MPI are all in Fortran.
fortran_calls_are_there() {
	rows 'function call_path' mpi-calls -n 0 >"$scratch/rows" || return
	for function in MPI_Allreduce MPI_Bcast MPI_Barrier; do
		grep -q "^$function" "$scratch/rows" ||
			{ echo "no $function"; cat "$scratch/rows"; return 1; }
	done
	! grep -i '← p*mpi_[a-z]*_ ←' "$scratch/rows"
}

# Of the loop of a self-consistent field: pw.x says how often it called c_bands.
rounds_are_counted() {
	"$copse" report iterations "$profile" >"$scratch/page" || return
	want=$(awk '$1 == "c_bands" { sub(/.*\(/, ""); print $1 }' "$scratch/with")
	head -n 6 "$scratch/page"
	grep -q "^$want iterations of" "$scratch/page"
}

point "rounds of the field are counted" after_run rounds_are_counted
point "MPI time is there" after_run mpi_time_is_there
point "MPI calls are there" after_run fortran_calls_are_there
points_done
