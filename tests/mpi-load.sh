#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mpi-load.sh - the MPI wrappers are harmless wherever they are loaded, and
# find the MPI library however it was.
# shellcheck source=tests/tap.sh
. "${srcdir:-$(dirname "$0")/..}/tests/tap.sh"
MPICC=${MPICC:-mpicc}
CC=${CC:-cc}
export OMPI_CC="$CC"
wrappers=$builddir/.libs/libcopse-mpi-openmpi.so
preload=$builddir/.libs/libcopse.so:$wrappers

# same COMMAND…: it says the same, on both outputs, with the wrappers.
same() {
	"$@" >"$scratch/without" 2>&1 || return 1
	LD_PRELOAD=$preload "$@" >"$scratch/with" 2>&1 || return 1
	diff "$scratch/without" "$scratch/with" || return 1
	LD_BIND_NOW=1 LD_PRELOAD=$preload "$@" >"$scratch/with" 2>&1 || return 1
	diff "$scratch/without" "$scratch/with"
}

python() {
	need python3
	same python3 -c 'import ctypes, json; print(json.dumps([1]))'
}

# build NAME FLAG…: standard input, with the compiler of MPI programs or not.
build() {
	name=$1
	shift
	cat >"$scratch/$name.c"
	"$@" -w -o "$scratch/$name" "$scratch/$name.c" || exit 1
}

# Who asks whether there is MPI by a weak reference learns that it is not
# running, and gets an error from anything else.
no_mpi() {
	build weak "$CC" <<'END'
int MPI_Initialized(int *flag) __attribute__((weak));
int MPI_Init(int *argc, char ***argv) __attribute__((weak));
int main(void)
{
	int flag = 9;

	return !MPI_Initialized || MPI_Initialized(&flag) || flag ||
	       MPI_Init(0, 0) == 0;
}
END
	LD_PRELOAD=$preload "$scratch/weak"
}

# Another MPI's constants are not ours: 1 may mean "no status".
foreign_mpi() {
	build libmpi.so "$CC" -shared -fPIC <<'END'
int MPI_Init(int *argc, char ***argv) { return 0; }
int MPI_Recv(void *b, int n, int t, int s, int g, int c, void *status)
{
	return status == (void *)1 && t == 0x4c000101 ? 0 : 5;
}
END
	build foreign "$CC" -L "$scratch" -Wl,-rpath,"$scratch" -Wl,--no-as-needed \
		-l:libmpi.so <<'END'
int MPI_Init(int *argc, char ***argv);
int MPI_Recv(void *b, int n, int t, int s, int g, int c, void *status);
int main(void)
{
	return MPI_Init(0, 0) || MPI_Recv(0, 0, 0x4c000101, 0, 0, 0, (void *)1);
}
END
	LD_PRELOAD=$preload "$scratch/foreign"
}

# As python's mpi4py does it: nothing of MPI is in the global scope.
local_mpi() {
	build plugin.so "$MPICC" -shared -fPIC <<'END'
#include <mpi.h>
int plugin(void)
{
	int rank = -1, size = -1, in = 0;

	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&size, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return rank == 0 && size == 1 && in == 1 ? 0 : 1;
}
END
	build host "$CC" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) = plugin ? dlsym(plugin, "plugin") : 0;

	return run ? run() : 2;
}
END
	LD_PRELOAD=$preload "$scratch/host" "$scratch/plugin.so"
}

# Another tool that stands behind or before us goes on working.
other_tool() {
	build tool.so "$MPICC" -shared -fPIC <<'END'
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
	calls++;
	return PMPI_Send(b, n, t, to, tag, c);
}
int MPI_Finalize(void)
{
	fprintf(stderr, "%d calls of MPI_Send\n", calls);
	return PMPI_Finalize();
}
END
	for order in "$preload:$scratch/tool.so" "$scratch/tool.so:$preload"; do
		mpirun -n 2 env LD_PRELOAD="$order" "$programs/mpi-calls" \
			"$scratch/file" >"$scratch/out" 2>"$scratch/err"
		cat "$scratch/err"
		sends=$(awk '$3 == "MPI_Send" { print $4; exit }' "$scratch/out")
		[ "$(grep -c "^$sends calls of MPI_Send" "$scratch/err")" = 2 ] ||
			return 1
	done
}

if [ ! -e "$wrappers" ]; then
	echo "1..0 # SKIP no MPI wrappers were built"
	exit 0
fi
point "bash does not notice the wrappers" same bash -c 'echo hello; exit 0'
point "python3 does not notice the wrappers" python
point "without an MPI the wrappers say so" no_mpi
point "another MPI is left alone" foreign_mpi
point "a libmpi that was opened locally is found" local_mpi
point "other PMPI tools stay in line" other_tool
points_done
