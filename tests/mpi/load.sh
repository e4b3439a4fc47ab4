#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# load.sh - the MPI wrappers are harmless wherever they are loaded, and
# find the MPI library however it was.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
MPICC=${MPICC:-mpicc}
MPICC_MPICH=${MPICC_MPICH:-mpicc.mpich}
CC=${CC:-cc}
export OMPI_CC="$CC" MPICH_CC="$CC"
preload=$builddir/libcopse.so
for wrappers in "$builddir"/libcopse-mpi-*.so; do
	[ ! -e "$wrappers" ] || preload=$preload:$wrappers
done

compiler_of() {
	case $1 in
	openmpi) echo "$MPICC" ;;
	mpich)	echo "$MPICC_MPICH" ;;
	esac
}

need_mpi() {
	need "$(compiler_of "$1")"
	[ -e "$builddir/libcopse-mpi-$1.so" ] ||
		skip "no wrappers for $1 were built"
}

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
	"$@" -D_GNU_SOURCE -w -o "$scratch/$name" "$scratch/$name.c" -ldl || exit 1
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

# Who looks a function up finds it where there would be one without us: in the
# program itself, nowhere else.
no_mpi_to_find() {
	build looks "$CC" -rdynamic -ldl <<'END'
#include <dlfcn.h>
#include <stdio.h>
int PMPI_Barrier(int c) { return c; }
static void look(void *handle, const char *name)
{
	void *found = dlsym(handle, name);
	int failed = dlerror() != NULL;

	printf("%s %d %d\n", name, found == (void *)PMPI_Barrier,
	       found && found != (void *)PMPI_Barrier);
	printf("%d\n", failed);
}
int main(void)
{
	void *const scopes[] = { RTLD_DEFAULT, RTLD_NEXT,
				 dlopen(NULL, RTLD_LAZY) };

	for (int i = 0; i < 3; i++) {
		look(scopes[i], "MPI_Init");
		look(scopes[i], "mpi_init_");
		look(scopes[i], "PMPI_Barrier");
		look(scopes[i], "MPI_No_such_function");
	}
	return 0;
}
END
	same "$scratch/looks"
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

# local_plugin MPI: one that finds that MPI by itself.
local_plugin() {
	need_mpi "$1"
	build plugin.so "$(compiler_of "$1")" -shared -fPIC <<'END'
#include <mpi.h>
int plugin(void)
{
	int rank = -1, size = -1, in = 0;

	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&size, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return size == 2 && in == 2 ? 0 : 1;
}
END
}

# As python's mpi4py does it: nothing of MPI is in the global scope.
local_mpi() {
	local_plugin "$1"
	opened_locally "$1"
}

# renamed FILE: its name of MPICH's library is another of as many letters.
renamed() {
	sed 's/libmpich\.so\.12/libmpi_g.so.12/g' "$1"
}

# As Cray's libmpi_gnu_123.so.12 is.
other_name() {
	local_plugin mpich
	own=$(ldd "$scratch/plugin.so" |
		awk '$1 == "libmpich.so.12" { print $3 }')
	mv plugin.so plugin
	renamed plugin >plugin.so && renamed "$own" >libmpi_g.so.12 || return
	ldd "$scratch/plugin.so"
	LD_LIBRARY_PATH=$scratch opened_locally mpich
}

# R's Rmpi calls functions of its own as Fortran's are called by few compilers;
# they stay its own, wherever it is opened, and whether it has MPI's as well.
own_functions() {
	need_mpi "$1"
	cat >"$scratch/own.c" <<'END'
#include <mpi.h>
long mpi_comm_rank(long a)
{
	return 2 * a;
}
long MPI_COMM_SIZE(long a)
{
	return 3 * a;
}
int plugin(void)
{
	long (*volatile own)(long) = mpi_comm_rank;
	int rank = -1, size = -1, in = 0;

	if (own(21) != 42 || MPI_COMM_SIZE(1) != 3)
		return 3;
	MPI_Init(0, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&size, 1, MPI_INT, rank, 0, &in, 1, MPI_INT, rank, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (own(1 + rank) != 2 + 2 * rank || MPI_COMM_SIZE(size) != 6)
		return 4;
	MPI_Finalize();
	return size == 2 && in == 2 ? 0 : 1;
}
END
	set -- "$1" "$(compiler_of "$1")"
	"$2" -w -fPIC -shared -o "$scratch/plugin.so" "$scratch/own.c" || return
	opened_locally "$1" || return
	build linked "$2" -Wl,--no-as-needed "$scratch/plugin.so" <<'END'
int plugin(void);
int main(void)
{
	return plugin();
}
END
	LD_LIBRARY_PATH=$scratch was_counted "$1" "$scratch/linked"
}

# One that has no MPI, but functions that are called as MPI's are: a stand-in
# for programs of one process.
stand_in() {
	need_mpi "$1"
	build plugin.so "$CC" -shared -fPIC <<'END'
void mpi_comm_size_(int *comm, int *size, int *error)
{
	*size = 7;
	*error = 0;
}
int MPI_Comm_size(int comm, int *size)
{
	mpi_comm_size_(&comm, size, &comm);
	return 0;
}
int plugin(void)
{
	int size = 0;

	for (int i = 0; i < 1000000; i++)
		MPI_Comm_size(0, &size);
	return size != 7;
}
END
	build_host
	LD_PRELOAD=$preload "$scratch/host" "$scratch/plugin.so"
}

# The same in Fortran: as f2py makes them.
local_fortran() {
	need_mpi "$1"
	need gfortran "mpifort.$1"
	"mpifort.$1" --version >"$scratch/said" 2>&1 ||
		skip "mpifort.$1 does not work: $(head -n 1 "$scratch/said")"
	cat >"$scratch/plugin.f90" <<'END'
integer(c_int) function plugin() bind(c)
  use iso_c_binding
  use mpi_f08
  integer :: rank, n, in

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  call MPI_Sendrecv(n, 1, MPI_INTEGER, rank, 0, in, 1, MPI_INTEGER, rank, 0, &
       MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Finalize()
  plugin = merge(0, 1, in == 2)
end function plugin
END
	"mpifort.$1" -shared -fPIC -J "$scratch" -o "$scratch/plugin.so" \
		"$scratch/plugin.f90" || return
	opened_locally "$1"
}

build_host() {
	build host "$CC" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) = plugin ? dlsym(plugin, "plugin") : 0;

	return run ? run() : 2;
}
END
}

opened_locally() {
	build_host
	was_counted "$1" "$scratch/host" "$scratch/plugin.so"
}

# Where the C library was preloaded in front of us, the program's start is not
# seen and nothing is measured; no function is next to ours there.
behind_the_c_library() {
	local_plugin "$1"
	build_host
	cat >"$scratch/behind" <<'END'
#!/bin/sh
LD_PRELOAD=libc.so.6:$LD_PRELOAD exec "$@"
END
	chmod +x "$scratch/behind"
	launch "$1" 2 "$copse" run --quiet "$scratch/behind" "$scratch/host" \
		"$scratch/plugin.so"
}

# was_counted MPI COMMAND…: 2 processes call MPI_Sendrecv once each.
was_counted() {
	mpi=$1
	shift
	rm -rf calls.copse
	launch "$mpi" 2 "$copse" run --quiet -o calls.copse "$@" &&
		reported >is || return
	cat is
	grep -qx 'MPI_Sendrecv 2 8 8' is && grep -qx 'MPI_Init 2 0 0' is
}

# opened MPI FILE HOW: by a program without MPI, which finds its functions where
# all see them, or in that library's handle alone.
opened() {
	need_mpi "$1"
	need python3
	cat >"$scratch/open.py" <<'END'
import ctypes, sys
mpi, name, how = sys.argv[1:]
library = ctypes.CDLL(name, ctypes.RTLD_GLOBAL if how == "global" else 0)


def address(symbol):
    at = ctypes.c_char.in_dll(library, symbol)
    return ctypes.c_void_p(ctypes.addressof(at))


if mpi == "mpich":
    world, integer, ignore = 0x44000000, 0x4C000405, ctypes.c_void_p(1)
else:
    world, integer = address("ompi_mpi_comm_world"), address("ompi_mpi_int")
    ignore = None
mpi = ctypes.CDLL(None) if how == "global" else library
null, n = None, ctypes.c_int(0)
mpi.MPI_Init(null, null)
x, y = ctypes.c_int(3), ctypes.c_int(0)
rank = ctypes.c_int(-1)
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Sendrecv(ctypes.byref(x), 1, integer, rank, 1, ctypes.byref(y), 1,
                 integer, rank, 1, world, ignore)
mpi.MPI_Finalize()
sys.exit(y.value != 3)
END
	was_counted "$1" python3 "$scratch/open.py" "$@"
}

# A tool that has MPI's functions itself, and calls those that it finds in MPI's
# handle: in neither order do we lead back to it.
tool_by_handle() {
	need_mpi "$1"
	local_plugin "$1"
	file=$(ldd "$scratch/plugin.so" | awk '/libmpi(ch)?[.]so/ { print $3 }')
	build between.so "$CC" -shared -fPIC -DFILE_OF_MPI="\"$file\"" <<'END'
#include <dlfcn.h>
#include <stdio.h>
static int calls;
int MPI_Sendrecv(long a, long b, long c, long d, long e, long f, long g, long h,
		 long i, long j, long k, long l)
{
	int (*own)(long, ...) = dlsym(dlopen(FILE_OF_MPI, RTLD_LAZY),
				      "MPI_Sendrecv");

	calls++;
	return own(a, b, c, d, e, f, g, h, i, j, k, l);
}
__attribute__((destructor)) static void end(void)
{
	if (calls)
		fprintf(stderr, "%d calls of MPI_Sendrecv\n", calls);
}
END
	build linked "$(compiler_of "$1")" -Wl,--no-as-needed \
		"$scratch/plugin.so" <<'END'
int plugin(void);
int main(void)
{
	return plugin();
}
END
	for order in "$preload:$scratch/between.so" "$scratch/between.so:$preload"
	do
		LD_LIBRARY_PATH=$scratch launch "$1" 2 \
			env LD_PRELOAD="$order" timeout -k 5 60 \
			"$scratch/linked" >out 2>&1 ||
			{ cat out; return 1; }
		[ "$(grep -cx '1 calls of MPI_Sendrecv' out)" = 2 ] ||
			{ cat out; return 1; }
	done
}

# A script links no MPI; the program that it starts does.
script_starts() {
	need_mpi "$1"
	printf '#!/bin/sh\nexec "%s"\n' "$2" >"$scratch/script"
	chmod +x "$scratch/script"
	counts_right "$1" 2 "$scratch/script" || return
	# The adapter that passes calls on is in no path.
	! grep 'MPI_[A-Za-z_]* ← MPI_' csv
}

# No launcher tells copse that there will be an MPI; the ranks are known by the
# one that it starts.
script_launches() {
	need_mpi "$1"
	counts_right_outside "$1" 3 "$2" || return
	ls calls.copse
	[ -e calls.copse/rank-1.h5 ] && [ -e calls.copse/rank-2.h5 ]
}

# A library that calls MPI while it is loaded, so that its thread has the
# loader's lock, for which another one waits that has called before.
while_loading() {
	need_mpi "$1"
	build loading.so "$CC" -shared -fPIC <<'END'
void hold(void);
__attribute__((constructor)) static void begin(void)
{
	hold();
}
END
	build loads "$(compiler_of "$1")" -rdynamic -ldl -pthread <<'END'
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static volatile int held, flag;
void hold(void)
{
	held = 1;
	usleep(300000);
	MPI_Initialized((int *)&flag);
}
static void *call(void *unused)
{
	int flag;

	while (!held)
		;
	MPI_Initialized(&flag);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	pthread_create(&thread, 0, call, 0);
	if (!dlopen(argv[1], RTLD_NOW))
		return 2;
	return pthread_join(thread, 0);
}
END
	LD_PRELOAD=$preload timeout -k 5 30 "$scratch/loads" \
		"$scratch/loading.so"
}

# Another tool that stands behind or before us goes on working, in C and in
# Fortran.
other_tool() {
	need_mpi "$1"
	build tool.so "$(compiler_of "$1")" -shared -fPIC <<'END'
#include <mpi.h>
#include <stdio.h>
static int calls, f_calls;
int MPI_Send(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c)
{
	calls++;
	return PMPI_Send(b, n, t, to, tag, c);
}
void pmpi_send_(void *b, void *n, void *t, void *to, void *tag, void *c, void *e)
	__attribute__((weak));
void mpi_send_(void *b, void *n, void *t, void *to, void *tag, void *c, void *e)
{
	f_calls++;
	pmpi_send_(b, n, t, to, tag, c, e);
}
__attribute__((destructor)) static void end(void)
{
	if (calls)
		fprintf(stderr, "%d calls of MPI_Send\n", calls);
	if (f_calls)
		fprintf(stderr, "%d calls of mpi_send_\n", f_calls);
}
END
	suffix=
	[ "$1" = openmpi ] || suffix=.$1
	for order in "$preload:$scratch/tool.so" "$scratch/tool.so:$preload"; do
		tool_counts "$1" MPI_Send "$programs/mpi-calls$suffix" &&
			tool_counts "$1" mpi_send_ \
				"$programs/mpi-fortran.$1.mpif_h" || return
	done
}

# tool_counts MPI FUNCTION PROGRAM: as many as the program did, on both ranks.
tool_counts() {
	[ -x "$3" ] || return 0
	launch "$1" 2 env LD_PRELOAD="$order" "$3" "$scratch/file" \
		>"$scratch/out" 2>"$scratch/err"
	cat "$scratch/err"
	sends=$(awk '$3 == "MPI_Send" { print $4; exit }' "$scratch/out")
	[ "$(grep -c "^$sends calls of $2" "$scratch/err")" = 2 ]
}

# Samples of both ranks, and of calls nothing: but for samples inside them.
switched_off() {
	[ -x "$programs/mpi-calls" ] || skip "mpi-calls was not built"
	need_mpi openmpi
	launch openmpi 2 "$copse" run --quiet --mpi=off -o off.copse \
		sh -c 'env | grep -c "^LD_PRELOAD=.*libcopse-mpi-";
			exec "$1"' - "$programs/mpi-calls" >out || return
	[ "$(grep -cx 0 out)" = 2 ] || { cat out; return 1; }
	"$copse" report off.copse -f csv >csv || return
	[ "$(awk -v columns=samples -f "$srcdir/tests/lib/csv.awk" csv)" -gt 0 ] ||
		{ cat csv; return 1; }
	"$copse" report mpi-calls off.copse >report || return
	! grep -w MPI_Send report
}

if [ "$preload" = "$builddir/libcopse.so" ]; then
	echo "1..0 # SKIP no MPI wrappers were built"
	exit 0
fi
cd "$scratch" || exit 99
point "bash does not notice the wrappers" same bash -c 'echo hello; exit 0'
point "python3 does not notice the wrappers" python
point "without an MPI the wrappers say so" no_mpi
point "where there is no MPI its functions are not found" no_mpi_to_find
point "another MPI is left alone" foreign_mpi
for mpi in openmpi mpich; do
	point "a library of $mpi that was opened locally is found" local_mpi $mpi
	point "a Fortran library for $mpi as well" local_fortran $mpi
	point "functions of a program that has $mpi stay its own" \
		own_functions $mpi
	point "other PMPI tools stay in line, with $mpi" other_tool $mpi
	point "also those that look $mpi up" tool_by_handle $mpi
	point "a library calls $mpi while it is loaded" while_loading $mpi
done
point "a stand-in for MPI is what is called" stand_in openmpi
point "a relative of MPICH has another name" other_name
point "the C library stands in front of the wrappers" behind_the_c_library openmpi
point "an MPI that python opens is found" opened mpich libmpich.so.12 global
point "one that it opens for itself" opened mpich libmpich.so.12 local
point "one of openmpi's as well" opened openmpi libmpi.so.40 local
point "what a script starts is found, with openmpi" \
	script_starts openmpi "$programs/mpi-calls"
point "what a script starts is found, with mpich" \
	script_starts mpich "$programs/mpi-calls.mpich"
point "what a script launches is found, with openmpi" \
	script_launches openmpi "$programs/mpi-calls"
point "what a script launches is found, with mpich" \
	script_launches mpich "$programs/mpi-calls.mpich"
point "--mpi=off leaves MPI alone" switched_off
points_done
