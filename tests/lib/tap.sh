# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
# tap.sh - what the *.sh tests share; a test sources it first.
#
#   point NAME COMMAND…   one test: COMMAND, a function of the test, runs in a
#                         subshell; what it prints is shown when it fails.
#                         77 skips, with the last printed line as the reason.
#   points_done           the last line of each test; its status says whether
#                         a point failed
#
# $srcdir is the source tree, the working directory the build tree, $scratch
# an empty directory that goes away.  Tests run by `make check`, or by hand
# from the build tree: ../tests/FOLDER/NAME.sh

srcdir=${srcdir:-$(dirname "$0")/../..}
srcdir=$(cd "$srcdir" && pwd)
builddir=$(pwd)
copse=$builddir/copse
programs=$builddir/tests/programs
scratch=$(mktemp -d "${TMPDIR:-/tmp}/copse-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM
unset COPSE_FREQ COPSE_DEPTH COPSE_EVENTS COPSE_MEMORY COPSE_INTERNALS
unset COPSE_FROM_START COPSE_INCLUDE COPSE_EXCLUDE COPSE_CLOCK
export LC_ALL=C.UTF-8

# Figures are asserted, so no sample is saved, also where others crowd the cores
# (--budget).  Tests of harm measure as a user does, without that.
export COPSE_BUDGET=0

# The user's cache of names is not for tests.
export COPSE_CACHE=off

# Open MPI on a machine with few cores, also as root, also in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe # Open MPI 5
# Tests that run at the same time are not to be bound to the same cores.
export OMPI_MCA_hwloc_base_binding_policy=none
export PRTE_MCA_hwloc_default_binding_policy=none
# Debian 11's settings leave nothing that can make a window on one host, and its
# libfabric leaves handlers behind: ranks that are told to end crash.
export OMPI_MCA_osc=^ucx OMPI_MCA_mtl=^ofi
# One that ends removes the folder that another one is about to use.
mkdir -m 1777 "$scratch/.ompi"
export OMPI_MCA_orte_tmpdir_base="$scratch/.ompi"
export OMP_NUM_THREADS=1

points=0
failed=0

point() {
	name=$1
	shift
	points=$((points + 1))
	("$@") >"$scratch/.said" 2>&1 </dev/null
	case $? in
	0)	echo "ok $points - $name" ;;
	77)	echo "ok $points - $name # SKIP $(tail -n 1 "$scratch/.said")" ;;
	*)	failed=1
		awk 'NR <= 40 { print "# " $0 }' "$scratch/.said"
		echo "not ok $points - $name" ;;
	esac
}

points_done() {
	echo "1..$points"
	exit $failed
}

# skip REASON: for use inside a point.
skip() {
	echo "$*"
	exit 77
}

# need COMMAND…: skip unless each is here.
need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "no $tool here"
	done
}

# wait_for COMMAND…: until it is true, for a minute: how long something takes
# to happen is never what is tested.
wait_for() {
	wait_up_to 60 "$@"
}

# Before glibc 2.35 copse has a table of modules of its own, 1 MiB of addresses.
has_own_modules() {
	getconf GNU_LIBC_VERSION | grep -Eq ' 2\.(2.|3[0-4])$'
}

# wait_up_to SECONDS COMMAND…
wait_up_to() {
	turns=$(seq $(($1 * 10)))
	shift
	for _ in $turns; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	echo "waited in vain: $*"
	return 1
}

# has_worked PID TICKS: of CPU time, 10 ms each, or more.
has_worked() {
	ticks=$(sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }')
	[ "${ticks:-0}" -ge "$2" ]
}

# for_others [PROGRAM…]: where other users may not come to the build tree, as
# below /root, $copse and $programs become copies in $scratch, of these programs
# (for this point).
for_others() {
	need setpriv
	[ "$(id -u)" = 0 ] || skip "only root can be somebody else"
	chmod 711 "$scratch"
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		test -x "$copse" && return
	rm -rf "$scratch/copy"
	mkdir -p "$scratch/copy/programs"
	cp "$copse" "$scratch/copy"
	cp "$builddir"/libcopse*.so "$scratch/copy"
	cp -r "$builddir/page" "$scratch/copy"
	for program; do
		cp "$programs/$program" "$scratch/copy/programs"
	done
	copse=$scratch/copy/copse
	programs=$scratch/copy/programs
}

# had_cores PROFILE: its ranks had a core for 90 % of the time; of others elapsed
# times tell nothing of the program.
had_cores() {
	"$copse" report -f csv --table run "$1" |
		awk -v columns=core_wait -f "$srcdir/tests/lib/csv.awk" |
		awk '{ exit $1 > 0.1 }'
}

# near VALUE TRUTH TOLERANCE: numbers, true when they are that close.
near() {
	awk -v v="$1" -v t="$2" -v d="$3" 'BEGIN {
		if (v ~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/ &&
		    v - t <= d && t - v <= d)
			exit 0
		print v " is not within " d " of " t
		exit 1
	}'
}
