#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh - a program that links libmpi_abi, the standard binary interface of MPI
# 5.0, here of a made library; beside programs of other MPIs.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

"${CC:-cc}" -O1 -g -w -shared -fPIC -Wl,-soname,libmpi_abi.so.1 \
	-o libmpi_abi.so.1 "$srcdir/tests/programs/made-abi.c" &&
	"${CC:-cc}" -O1 -g -I "$srcdir/mpi/abi" -I "$builddir/mpi/abi" \
		-o mpi-abi "$srcdir/tests/programs/mpi-abi.c" \
		libmpi_abi.so.1 -Wl,-rpath,"$scratch" || exit 99

# counts_right COMMAND…: calls, bytes sent and received, as mpi-abi.c makes them.
counts_right() {
	rm -rf calls.copse
	"$copse" run -q -o calls.copse "$@" >out 2>err || { cat out err; return 1; }
	grep -qx 'failed: 0' out || return
	reported >is
	diff is - <<'END'
MPI_Allreduce 1 20 20
MPI_Finalize 1 0 0
MPI_Init 1 0 0
MPI_Isend 7 84 0
MPI_Recv 10 0 800
MPI_Send 10 800 0
MPI_Wait 7 0 0
END
}

# The adapters of all MPIs are in its process: the interpreter links none.
among_all() {
	counts_right sh -c './mpi-abi; exit'
}

# That it links its MPI is seen, unless an old Open MPI has started it.
started_by() {
	(
		export OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0
		export OMPI_VERSION="$1"
		counts_right ./mpi-abi
	)
}

# Each process has its own.
beside_others() {
	for program in mpi-skew mpi-skew.mpich; do
		[ -x "$programs/$program" ] || skip "$program was not built"
	done
	rm -rf all.copse
	"$copse" run -q -o all.copse sh -c "./mpi-abi && $programs/mpi-skew 0.01 &&
		$programs/mpi-skew.mpich 0.01" >out 2>err || { cat out err; return 1; }
	"$copse" info all.copse >info || return
	grep ' MPI  ' info
	for mpi in 'Made MPI 5.0' 'Open MPI' MPICH; do
		grep -q " MPI  *$mpi" info || return
	done
}

point "its calls and bytes are counted" counts_right ./mpi-abi
point "among the adapters of other MPIs, and with data as Open MPI's" among_all
point "under a launcher of Open MPI 6" started_by 6.0.0
point "beside programs of other MPIs" beside_others
points_done
