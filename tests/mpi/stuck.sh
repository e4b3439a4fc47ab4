#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that hang (tests/programs/hangs.c): copse stuck says why while they run,
# the reports when they were killed.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/mpi.sh
. "$srcdir/tests/lib/mpi.sh"
cd "$scratch" || exit 99
# Ranks that wait leave the cores to others; MPICH's have no such way.
export OMPI_MCA_mca_base_env_list="LD_PRELOAD=$builddir/tests/lib/naps.so"

# Sentences without line ends.
said() {
	"$copse" "$@" --width 250 | tr -s '\n ' ' '
}

# stands KIND: all have come to what they do, and those who wait do for long.
stands() {
	"$copse" stuck --between 0.2 -f csv --table ends "$1.copse" |
		awk -v columns='stand count seconds' \
			-f "$srcdir/tests/lib/csv.awk" | awk '
		{ all += $2 }
		$1 ~ /^(call|polls)$/ {
			waits += $2
			most = $3 > most ? $3 : most
		}
		END { exit !(all == 4 && waits >= 3 && most > 1.1) }'
}

# is_stuck KIND: a call before may have taken as long where others have the cores.
is_stuck() {
	said stuck --between 0.5 "$1.copse" >running
	! grep -q 'Not stuck: ' running
}

# Open MPI's launcher hangs at its own end, once in hundreds.
end_job() {
	kill -INT "$job"
	wait_up_to 30 is_over "$job" || kill -KILL "$job"
	wait "$job"
}

is_over() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"
}

# hangs MPI KIND RUNNING OVER: what is said, extended regular expressions.
hangs() {
	mpi=$1 kind=$2
	program=${hanging-$programs/hangs}
	[ "$mpi" = openmpi ] || program=$program.$mpi
	launcher=$(launcher_of "$mpi") || skip "no launcher of $mpi here"
	rm -rf "$kind.copse"
	"$launcher" -n 4 "$copse" run --quiet -o "$kind.copse" \
		"$program" "$kind" >out 2>&1 &
	job=$!
	wait_for stands "$kind" && wait_up_to 20 is_stuck "$kind"
	good=$?
	end_job
	cat running
	[ "$good" = 0 ] && grep -Eq "$3" running || return
	"$copse" merge "$kind.copse" >merged 2>&1 || cat merged
	said report ends "$kind.copse" >over
	cat over
	grep -Eq "$4" over || return
	said report "$kind.copse" >summary
	cat summary
	grep -Eq "! $4" summary
}

where='in MPI_Allreduce ← reduce ← [a-z_]+ \(hangs.c:[0-9]+\), collective call 11 of all ranks,'
# What depends on the library is seen with both.
for mpi in openmpi mpich; do
	point "$mpi: one rank leaves a collective call out" hangs $mpi skip \
		"3 of 4 .* $where for rank 3, which is in MPI_Finalize ← main .* instead" \
		"3 of 4 .* $where for rank 3, which was in MPI_Finalize ← main .* instead"
	point "$mpi: large messages in a circle" hangs $mpi sends \
		"4 of 4 .* in MPI_Send ← sends .* in a circle" \
		"4 of 4 .* in MPI_Send ← sends .* in a circle"
	point "$mpi: polls in vain" hangs $mpi polls \
		"No rank completed.* 3 of 4 .* in MPI_Test ← poll_barrier .* for rank 3, which is outside MPI and sleeps in .*pause ← sleeper" \
		"3 of 4 .* in MPI_Test ← poll_barrier .* for rank 3, which was outside MPI"
	point "$mpi: a lock of a window that is not let go" hangs $mpi window \
		"3 of 4 .* in MPI_Win_lock .* for a lock that rank 3 holds, which is outside MPI and sleeps in .*pause ← sleeper ← lock_window.* MPI_Win_unlock" \
		"3 of 4 .* in MPI_Win_lock .* for a lock that rank 3 holds, which was outside MPI"
	point "$mpi: collective I/O of some ranks" hangs $mpi write \
		"3 of 4 .* in MPI_File_write_at_all ← write_all .* for rank 3, which is in MPI_File_close ← write_all .* H5Sselect_none" \
		"3 of 4 .* in MPI_File_write_at_all ← write_all .* for rank 3, which was in MPI_File_close"
done

point "one rank sleeps" hangs openmpi sleep \
	"No rank completed.* 3 of 4 ranks have been waiting for .* $where for rank 3, which is outside MPI and sleeps in .*pause ← sleeper" \
	"3 of 4 ranks had waited for .* $where for rank 3, which was outside MPI"
point "one rank computes for ever" hangs openmpi loop \
	"3 of 4 .* $where for rank 3, which computes in .*endless ← loop" \
	"3 of 4 .* $where for rank 3, which computed in .*endless ← loop"
point "one rank is in another collective call" hangs openmpi other \
	"3 of 4 .* $where for rank 3, which is in MPI_Barrier ← checkpoint .* instead" \
	"3 of 4 .* $where for rank 3, which was in MPI_Barrier ← checkpoint .* instead"
point "a message that nobody sends" hangs openmpi lost \
	"3 of 4 .* for rank 3, which is in MPI_Recv ← lost .* for a message from rank 0 with tag 7.* compare its tag" \
	"3 of 4 .* for rank 3, which was in MPI_Recv ← lost .* for a message from rank 0 with tag 7"
point "a lock that its holder wants" hangs openmpi lock \
	"3 of 4 .* for rank 3, which is outside MPI and sleeps in .*mutex_lock.* ← lock_twice" \
	"3 of 4 .* for rank 3, which was outside MPI"
point "a root that differs, in the first call" hangs openmpi roots \
	"4 of 4 .* in MPI_Reduce ← differ .*, collective call 1 of all ranks, with different roots" \
	"4 of 4 .* in MPI_Reduce ← differ .*, collective call 1 of all ranks, with different roots"
point "a barrier that one rank begins without blocking" hangs openmpi begun \
	"[34] of 4 .* in MPI_(Barrier|Wait) ← .*, collective call 11 of all ranks; some ranks began it without blocking" \
	"[34] of 4 .*, collective call 11 of all ranks; some ranks began it without blocking"

# Of the job before: as if the host of rank 3 was gone.
rank_is_absent() {
	need mpirun
	mkdir absent.copse && cp begun.copse/rank-[0-2].h5 absent.copse ||
		return
	said report ends absent.copse >over
	cat over
	grep -Eq '3 of 4 ranks had waited .* MPI_Barrier .*, for ranks of which nothing is known \(3\)' \
		over
}
point "a rank without profile is waited for" rank_is_absent

# With locks interposed the end is known without a stack.
ends_in_a_lock() {
	need mpirun
	mpirun -n 4 "$copse" run -q --locks=on -o locked.copse \
		"$programs/hangs" lock >out 2>&1 &
	job=$!
	wait_for stands locked
	good=$?
	end_job
	[ $good = 0 ] && "$copse" merge locked.copse >out 2>&1 || cat out
	said report ends locked.copse >over
	cat over
	grep -Eq '3 of 4 .* for rank 3, which had waited for [1-9][0-9.]* s in \[mutex .*\] ← lock_twice .*its other threads' over
}
point "a lock that its holder wants, with locks interposed" ends_in_a_lock
point "locks in different orders" hangs openmpi order \
	"3 of 4 .* for rank 3, which is outside MPI and sleeps in .*mutex_lock.* ← lock_order.*, its thread [0-9]+ sleeps in .*mutex_lock ← other_order.* its other threads" \
	"3 of 4 .* for rank 3, which was outside MPI"
point "a lock held when a child was made" hangs openmpi child \
	"3 of 4 .* for rank 3, which is outside MPI and sleeps in .*wait.* ← child .* Look at the child" \
	"3 of 4 .* for rank 3, which was outside MPI"
point "a lock of a file" hangs openmpi claim \
	"3 of 4 .* for rank 3, which is outside MPI and sleeps in flock ← claim .*/proc/locks" \
	"3 of 4 .* for rank 3, which was outside MPI"

# team_hangs COMPILER RUNTIME KIND: a thread waits for another of its team.
team_hangs() {
	need "$1" mpicc
	[ -x "team-$1" ] || OMPI_CC=$1 mpicc -g -O1 -fopenmp \
		-fno-optimize-sibling-calls \
		-I"$srcdir/tests/programs" -o "team-$1" \
		"$srcdir/tests/programs/hangs-team.c" 2>out ||
		{ cat out; skip "no OpenMP with $1"; }
	export OMP_WAIT_POLICY=passive
	hanging=$PWD/team-$1 hangs openmpi "$3" \
		"3 of 4 .* for rank 3, which (is outside MPI and sleeps in .*$2|has been waiting for .* for its threads in).* One of its threads does not come" \
		"3 of 4 .* for rank 3, which had waited for [0-9.]+ m?s for its threads in \[parallel hangs-team.c:[0-9]+\] ← $3 ← main .* One of its threads does not come"
}
for kind in end barrier task between; do
	point "gcc's OpenMP: a thread that does not come: $kind" \
		team_hangs gcc GOMP_ $kind
	point "LLVM's OpenMP: a thread that does not come: $kind" \
		team_hangs clang __kmp $kind
done

files_do_not_answer() {
	need python3
	mkdir silent
	python3 "$srcdir/tests/lib/silent-fs.py" "$PWD/silent" >mounted 2>&1 &
	files=$!
	wait_for [ -s mounted ]
	grep -q '^mounted' mounted || skip "$(cat mounted)"
	ln -s silent/x hangs.never
	hangs openmpi await \
		"3 of 4 .* for rank 3, which is outside MPI and waits in the kernel, for a disk or a file system in .*access ← await .* does not answer" \
		"3 of 4 .* for rank 3, which was outside MPI"
	good=$?
	kill "$files"
	umount -l silent
	return $good
}
point "a file system that does not answer" files_do_not_answer

# The rank that sleeps has no number, and no profile.
begins_late() {
	need mpirun
	mpirun -n 4 "$copse" run --quiet -o init.copse "$programs/hangs" init \
		>out 2>&1 &
	job=$!
	for _ in 1 2 3 4 5 6 7 8 9; do
		sleep 1
		said stuck --between 0.3 init.copse >running
		grep -q '3 processes have' running && break
	done
	end_job
	cat running
	grep -Eq '3 processes have been waiting .* in MPI_Init ← main .* for others that have not called it.* Rank 3: has made no call yet: process [0-9]+ \(hangs\) sleeps in .*pause ← sleeper' \
		running
}
point "a rank that does not come to MPI_Init" begins_late

# Nothing is measured of them but where they are.
has_called_nothing() {
	need mpirun
	mpirun -n 2 "$copse" run --quiet -o quiet.copse sleep 60 >out 2>&1 &
	job=$!
	for _ in 1 2 3 4 5 6 7 8 9; do
		sleep 0.5
		said stuck --between 0.2 quiet.copse >running
		grep -q 'Rank 1' running && break
	done
	end_job
	cat running
	grep -Eq '^stuck · sleep 60 · .*No rank has made a call .* Rank 1: has made no call yet: process [0-9]+ \(sleep\) sleeps in .*nanosleep' \
		running
}
point "ranks that have called nothing yet" has_called_nothing

# The shell has called nothing, its rank has.
is_below_a_shell() {
	need mpirun
	mpirun -n 4 "$copse" run --quiet -o shell.copse \
		sh -c "\"$programs/hangs\" skip; true" >out 2>&1 &
	job=$!
	wait_for stands shell && wait_up_to 20 is_stuck shell
	good=$?
	end_job
	cat running
	[ "$good" = 0 ] && grep -q '3 of 4 ranks' running &&
		! grep -q 'made no call' running
}
point "ranks that a shell started" is_below_a_shell

# A job that is slow completes calls.
is_slow() {
	mpirun -n 4 "$copse" run --quiet -o slow.copse "$programs/hangs" slow \
		>out 2>&1 &
	job=$!
	wait_for [ -d slow.copse ]
	sleep 3
	said stuck slow.copse >running
	end_job
	cat running
	grep -q 'Not stuck: 4 of 4 ranks completed calls' running
}
point "a slow job is not called stuck" is_slow

# Whoever waits for a rank that is stopped is not stuck, nor is that rank.
is_stopped() {
	mpirun -n 4 "$copse" run --quiet -o stopped.copse "$programs/hangs" \
		slow >out 2>&1 &
	job=$!
	wait_for [ -d stopped.copse ]
	sleep 3
	stopped=$(pgrep -f "^$programs/hangs slow" | sed -n 2p)
	kill -STOP "$stopped"
	sleep 1
	said stuck stopped.copse >running
	kill -CONT "$stopped"
	end_job
	cat running
	grep -q 'Stopped, not stuck: 1 of 4 ranks' running &&
		grep -q 'for rank [0-3], which is stopped' running
}
point "a rank that is stopped is said" is_stopped

# alarmed ACTION PROGRAM…: status, what was said, alarm.copse.
alarmed() {
	action=$1
	shift
	rm -rf alarm.copse
	"${launch:-mpirun}" -n 4 "$copse" run --quiet -o alarm.copse \
		--if-stuck "$action" --stuck-after 2 "$@" >out 2>&1
	status=$?
	tr -s '\n ' ' ' <out >said
	cat out
	echo "status $status"
}

# never_is_apart DIR: all ranks were in calls when they were ended: that time is
# not MPI's, and on the same paths.
never_is_apart() {
	"$copse" report split -n 0 -f json "$1" >split.json &&
		"$copse" report ends -f json "$1" >ends.json &&
		python3 - <<-END
		import json, sys
		split = json.load(open("split.json"))["tables"]
		ends = json.load(open("ends.json"))["tables"]["ends"]
		parts = {p["part"]: p["seconds"] for p in split["parts"]}
		paths = {p["call_path"]: p["seconds"] for p in split["paths"]
		         if p["part"] == "never"}
		longest = {r["call_path"]: r["seconds"] * r["count"] for r in ends}
		print(parts, paths, longest)
		sys.exit(not (paths.keys() == longest.keys() and all(
		    0.9 * longest[p] < paths[p] < 1.01 * longest[p]
		    for p in paths) and parts["never"] > 0.9 * sum(
		    parts.get(p, 0) for p in ("never", "mpi", "transfer", "wait"))))
		END
}

# By itself, with a status of its own; what was found stays.
is_ended() {
	need mpirun python3
	alarmed end "$programs/hangs" skip
	[ "$status" = 124 ] && grep -q 'this job seems to hang' said &&
		grep -q 'for rank 3, which is in MPI_Finalize' said &&
		tr -s '\n ' ' ' <alarm.copse/stuck.txt |
		grep -q 'for rank 3, which is in MPI_Finalize' &&
		python3 -m json.tool alarm.copse/stuck.json >json || return
	said report alarm.copse >summary
	cat summary
	grep -q 'had waited for .* for rank 3, which was in MPI_Finalize' \
		summary &&
		grep -q 'that of the time before the standstill' summary &&
		never_is_apart alarm.copse
}
point "a job that hangs is ended" is_ended

# The command's status is nobody's; the job goes on, and is ended by it here.
calls_a_command() {
	need mpirun
	alarmed 'echo CALLED; ls $COPSE_RUN; pkill -f ^'"$programs/hangs"' ' \
		"$programs/hangs" sends
	grep -q 'CALLED .*stuck.json stuck.txt' said &&
		[ "$(grep -c CALLED out)" = 1 ]
}
point "a command is called once" calls_a_command

# A rank computes for 5 s while the others wait; 20 s are none yet.
is_no_alarm() {
	need mpirun
	alarmed end "$programs/hangs" alone
	[ "$status" = 0 ] && ! grep -e 'seems to hang' -e 'no rank' said &&
		[ ! -e alarm.copse/stuck.txt ]
}
point "a rank that works alone raises no alarm" is_no_alarm

crash_has_a_place() {
	need mpirun
	mpirun -n 4 "$copse" run -q -o crash.copse \
		"$programs/hangs" crash >out 2>&1
	said report crash.copse >summary
	cat out summary
	grep -Eq '! Rank 3 was killed by signal 11 \(SIGSEGV\)( at address 0x0)? in faulty ← crash ← main' \
		summary
}
point "a rank that crashes has a place" crash_has_a_place

# Nobody saw the end: it is not the time at which the profile was found.
killed_with_parents() {
	need mpirun
	began=$(date +%s)
	mpirun -n 4 "$copse" run -q -o whole.copse "$programs/hangs" \
		sleep >out 2>&1 &
	job=$!
	wait_for stands whole || return
	sleep 2 # the last that is known of them may be a second old
	pids=$(pgrep -f "whole.copse|^$programs/hangs sleep")
	# shellcheck disable=SC2086 # several
	kill -KILL $pids
	lasted=$(($(date +%s) - began + 1))
	wait "$job"
	sleep $((lasted + 2))
	"$copse" recover whole.copse && "$copse" merge whole.copse &&
		"$copse" report ends -f json whole.copse >ends.json || return
	python3 - $lasted <<-END
		import json, sys
		rows = json.load(open("ends.json"))["tables"]["ends"]
		waits = [r["seconds"] for r in rows if r["stand"] == "call"]
		print(rows)
		sys.exit(not 1 < max(waits) < int(sys.argv[1]))
		END
}
point "ranks that were killed with their parents" killed_with_parents

no_such_run() {
	! "$copse" stuck nowhere.copse 2>out && grep -q 'no run of yours' out
}
point "a run that is not there is said" no_such_run

points_done
