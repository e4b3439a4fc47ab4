#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs.sh - a program in which several MPI jobs run, one after the other or
# at the same time: ranks, efficiency and waiting are of one of them, the one
# with most time, and the reports say so.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

# measured MPI DIR [OPTION…] -- LINE…: a script of these lines, in which $start
# is the launcher's command and $skew the program.
measured() {
	mpi=$1 dir=$2
	shift 2
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	skew=$programs/mpi-skew
	[ "$mpi" = openmpi ] || skew=$skew.$mpi
	[ -x "$skew" ] || skip "mpi-skew was not built for $mpi"
	[ -e "$builddir/libcopse-mpi-$mpi.so" ] ||
		skip "no wrappers for $mpi were built"
	start=$(launcher_of "$mpi") || skip "no launcher of $mpi here"
	{ echo "start='$start' skew='$skew'" && printf '%s\n' "$@"; } >lines
	rm -rf "$dir"
	# shellcheck disable=SC2086 # a list of words
	"$copse" run -q $options -o "$dir" sh lines >out 2>err ||
		{ cat out err; return 1; }
}

# columns NAME… <CSV
columns() {
	awk -v columns="$*" -f "$srcdir/tests/lib/csv.awk"
}

# is_of DIR RANKS ARGUMENT: the job that is shown, by its last argument.
is_of() {
	"$copse" report summary "$1" -f csv >csv || return
	columns command ranks <csv >shown
	cat shown
	[ "$(cut -f 2 shown)" = "$2" ] && cut -f 1 shown | grep -q " $3\$"
}

# comms_are DIR RANKS: of the job that is shown; each of its ranks made 10
# barriers and as many reductions.
comms_are() {
	"$copse" report mpi-calls "$1" -n 0 >text || return
	cat text
	grep -Eq "^ +all ranks +$2 +0 +$((20 * $2)) " text && ! grep -q several text
}

# skew_is DIR MEAN MAX RANK: of work(), in seconds; all ranks worked together,
# so that no call is half there.
skew_is() {
	"$copse" report imbalance "$1" -n 0 -f csv |
		columns function call_path mean max max_rank |
		awk -F '\t' '$1 == "work"' >work
	cat work
	[ "$(cut -f 5 work)" = "$4" ] && near "$(cut -f 3 work)" "$2" 0.05 &&
		near "$(cut -f 4 work)" "$3" 0.08 || return
	for report in summary waits; do
		"$copse" report $report "$1" >text || return
		! grep 'not matched' text || return
	done
}

# says DIR TEXT: each report about ranks.
says() {
	for report in summary ranks waits efficiency imbalance matrix; do
		"$copse" report $report "$1" >text || return
		tr -s '\n ' ' ' <text | grep -q "! $2 ran in this run: " ||
			{ cat text; return 1; }
	done
}

# The last is neither the first nor the largest.  The others take long to start
# where others have the cores.
one_after_the_other() {
	# shellcheck disable=SC2016 # for the script
	measured "$1" after.copse -- '$start -n 2 $skew 0.002' \
		'$start -n 3 $skew 0.001' '$start -n 2 $skew 0.8' || return
	is_of after.copse 2 0.8 && skew_is after.copse 1.2 1.6 1 &&
		says after.copse '2 other MPI jobs with 5 processes'
}

largest_is_the_longest() {
	# shellcheck disable=SC2016
	measured "$1" larger.copse -- '$start -n 2 $skew 0.002' \
		'$start -n 3 $skew 0.1' || return
	is_of larger.copse 3 0.1 && skew_is larger.copse 0.2 0.3 2 &&
		comms_are larger.copse 3 &&
		says larger.copse '1 other MPI job with 2 processes'
}

# Two launchers of Open MPI 4 that make one folder at the same time: one fails.
at_the_same_time() {
	mkdir -p one two
	# shellcheck disable=SC2016
	measured "$1" same.copse -- 'folder=OMPI_MCA_orte_tmpdir_base=$PWD' \
		'env $folder/one $start -n 2 $skew 0.01 one & one=$!' \
		'env $folder/two $start -n 2 $skew 0.8 || exit' 'wait $one' ||
		return
	is_of same.copse 2 0.8 && skew_is same.copse 1.2 1.6 1 &&
		comms_are same.copse 2 &&
		says same.copse '1 other MPI job with 2 processes'
}

# Each process that no launcher started is a job.
without_launcher() {
	# shellcheck disable=SC2016
	measured "$1" alone.copse -- '$skew 0.002' '$skew 0.2' '$skew 0.001' ||
		return
	is_of alone.copse 1 0.2 &&
		says alone.copse '2 other MPI jobs with 2 processes'
}

one_job_alone() {
	# shellcheck disable=SC2016
	measured "$1" one.copse -- '$start -n 2 sh -c "$skew 0.1; true"' || return
	is_of one.copse 2 0.1 && skew_is one.copse 0.15 0.2 1 &&
		comms_are one.copse 2 || return
	"$copse" report one.copse >text || return
	! grep 'MPI job' text
}

in_a_node_file() {
	# shellcheck disable=SC2016
	measured "$1" node.copse --gather=on -- '$start -n 3 $skew 0.002' \
		'$start -n 2 $skew 0.2' || return
	[ -s "node.copse/node-$(uname -n).h5" ] || return
	is_of node.copse 2 0.2 && skew_is node.copse 0.3 0.4 1 &&
		says node.copse '1 other MPI job with 3 processes'
}

# Each of the two ranks, which wait for it, spawns a process.
spawned() {
	need_spawned
	measured openmpi spawn.copse -- \
		"\$start -n 2 $programs/mpi-behaviour dynamic" || return
	is_of spawn.copse 2 dynamic &&
		says spawn.copse '2 other MPI jobs with 2 processes' || return
	! grep -q 'MPI_Comm_spawn started' text
}

# With copse behind the launcher that starts them nobody measures those: they may
# have done all the work, and are said.  No efficiency is.
spawned_unseen() {
	need_spawned
	launch openmpi 2 "$copse" run -q -o unseen.copse \
		"$programs/mpi-behaviour" dynamic >out 2>err ||
		{ cat out err; return 1; }
	for report in summary efficiency; do
		"$copse" report $report unseen.copse >text || return
		cat text
		grep -q '^! 2 processes that MPI_Comm_spawn started were' text ||
			return
		if grep -E 'Parallel efficiency|No MPI' text; then return 1; fi
	done
}

# No adapter stands in front of what a program has in itself.
linked_statically() {
	cat >static.c <<'END'
#include <time.h>
int MPI_Barrier(void)
{
	volatile double x = 0;

	while (clock() < 0.4 * CLOCKS_PER_SEC)
		x++;
	return 0;
}
int main(void) { return MPI_Barrier() + MPI_Barrier(); }
END
	"${CC:-cc}" -g -o static static.c || return 99
	rm -rf static.copse
	"$copse" run -q -o static.copse ./static &&
		"$copse" report static.copse >text || return
	tr -s '\n ' ' ' <text | grep '! MPI_Barrier of static was sampled, and no MPI call was counted: .* link MPI dynamically'
}

# Those are of a library.
switched_off() {
	skew=$programs/mpi-skew
	[ -x "$skew" ] || skip "mpi-skew was not built"
	rm -rf off.copse
	launch openmpi 2 "$copse" run -q --mpi=off -o off.copse "$skew" 0.1 \
		>out 2>err || { cat out err; return 1; }
	"$copse" report off.copse >text || return
	cat text
	if grep 'link MPI' text; then return 1; fi
}

for mpi in openmpi mpich; do
	point "$mpi, one after the other" one_after_the_other $mpi
	point "$mpi, the largest took most time" largest_is_the_longest $mpi
	point "$mpi, two of one size at the same time" at_the_same_time $mpi
	point "$mpi, without a launcher" without_launcher $mpi
	point "$mpi, one alone" one_job_alone $mpi
	point "$mpi, in a node's file" in_a_node_file $mpi
done
point "spawned processes are other jobs" spawned
point "spawned processes that nobody measures are said" spawned_unseen
point "MPI that is linked into the program is said" linked_statically
point "MPI that was not wanted is not said to be so" switched_off
points_done
