#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# slurm.sh - jobs of a real Slurm on two hosts: whatever ends a job, the
# profiles of all its ranks are there, know their job, and are in nobody
# else's directory.
# shellcheck source=tests/lib/cluster.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/cluster.sh"
cd "$scratch" || exit 99
crash=$programs/mpi-crash

# Why there can be no jobs here; nothing when there can.
lacks() {
	[ -z "$CLUSTER_LACKS" ] || { echo "$CLUSTER_LACKS"; return; }
	for tool in sbatch slurmctld slurmd munged mpirun; do
		command -v $tool >/dev/null || { echo "no $tool here"; return; }
	done
	[ -x "$crash" ] || echo "mpi-crash was not built"
}
lacks=$(lacks)

# The prolog and epilog that we give away, for jobs that begin when that is asked
# for.
set_prolog() {
	for kind in prolog epilog; do
		cat >"$cluster/$kind" <<-S
			#!/bin/sh
			[ -e "$scratch/\$SLURM_JOB_USER.watched" ] || exit 0
			export PATH="$(dirname "$copse"):\$PATH" EVERY=0.5
			export TEXTFILE="$scratch/text" STATE="$scratch/watch"
			exec "$srcdir/share/slurm/copse-$kind.sh"
		S
		chmod 755 "$cluster/$kind"
	done
	cluster_settings="Prolog=$cluster/prolog
Epilog=$cluster/epilog"
}

if [ -z "$lacks" ]; then
	cluster_up ash elm && set_prolog && cluster_slurm || exit 99
fi

may() {
	[ -z "$lacks" ] || skip "$lacks"
}

# batch OPTION…: a job of the script on standard input; its number is printed.
batch() {
	{ echo '#!/bin/bash'; cat; } >job.sh
	on ash sbatch --parsable "$@" job.sh
}

state() {
	on ash scontrol show --oneliner job "$1" |
		grep -o ' JobState=[A-Z]*' | sort -u | paste -s -d ''
}

is_over() {
	case $(state "$1") in
	*PENDING* | *RUNNING* | *COMPLETING* | *SUSPENDED* | '') return 1 ;;
	esac
}

# over JOB
over() {
	wait_up_to 180 is_over "$1" && return
	state "$1"
	cat "slurm-$1.out"
	ps -A -o stat,wchan:20,time,args | cut -c -120
	return 1
}

# has DIR FILE…: these, and no others but of children in which a sample fell.
has() {
	dir=$1
	shift
	printf '%s\n' "$@" | sort >want
	ls "$dir" | sed '/^rank-[0-9]*-[0-9-]*\.h5$/d' | diff want - ||
		{ echo "is in $dir"; return 1; }
}

# What the profiles of a directory say of their job, each once; one alone says
# why it was ended.
facts() {
	"$copse" info "$1" | sed -n 's/, end [a-z, ]*$//; s/^  batch  *//p' | sort -u
}

# says DIR FACT…: all its profiles have each of these.
says() {
	facts "$1" >facts
	[ "$(wc -l <facts)" = 1 ] || { cat facts; return 1; }
	shift
	for fact; do
		tr ',' '\n' <facts | sed 's/^ //' | grep -qxF "$fact" ||
			{ cat facts; echo "not: $fact"; return 1; }
	done
}

work() {
	"$copse" report hotspots "$1" -n 0 -f csv >csv &&
		awk -v columns='function inclusive' -f "$srcdir/tests/lib/csv.awk" \
			csv | awk -F '\t' -v f="$2" '$1 == f { print $2 }'
}

# running DIR RANKS: so many are copied, with or without their children.
running() {
	[ "$(ls "$1" | sed -n 's/^\(rank-[0-9]*\)-.*\.live$/\1/p' | sort -u |
		wc -l)" = "$2" ]
}

# Computes a little until somebody ends it, or does not even end at SIGTERM.
for how in '' "trap '' TERM"; do
	cat <<S
#!/bin/sh
$how
while :; do
	i=0
	while [ \$i -lt 20000 ]; do i=\$((i + 1)); done
	sleep 0.1
done
S
done | awk '/^#!/ { name = name ? "deaf" : "mild" } { print >name }'
chmod +x mild deaf

# This one takes half a minute; it is looked at last.
if [ -z "$lacks" ]; then
	late=$(batch -J late -N 2 -n 2 --time=1 <<J
srun "$copse" run -q --checkpoint 600 -o late.copse ./deaf
J
)
fi

starts_late() {
	wait_up_to 100 test -e late.copse/.rank-0 &&
		wait_up_to 100 test -e late.copse/.rank-1 && sleep 1 &&
		on ash scontrol update "JobId=$late" EndTime=now+1
}

# The node list as Slurm writes it, not as we would.
steps() {
	may
	starts_late || return 1
	job=$(batch -J steps -N 2 -n 4 <<J
srun "$copse" run -o srun.copse "$crash" finish 0 0.2
mpirun "$copse" run -o mpirun.copse "$crash" finish 0 0.2
J
)
	over "$job" || return 1
	cat "slurm-$job.out"
	nodes=$(on ash scontrol show --oneliner job "$job" |
		sed 's/.* NodeList=\([^ ]*\).*/\1/')
	for dir in srun.copse mpirun.copse; do
		has $dir rank-0.h5 rank-1.h5 rank-2.h5 rank-3.h5 report.html \
			run.h5 &&
			says $dir "Slurm job $job" 'name steps' \
				"$(echo "nodes $nodes" | cut -d , -f 1)" \
				'cluster grove' || return 1
		"$copse" report $dir >summary
		grep -F "Slurm job $job steps" summary | grep -F "on $nodes" &&
			grep '4 ranks .* on 2 hosts' summary ||
			{ cat summary; return 1; }
	done
	says srun.copse 'step 0' && ! facts mpirun.copse | grep 'step [0-9]'
}

# The ranks of two hosts in two files, merged in steps of srun and of Hydra.
together() {
	may
	job=$(batch -J together -N 2 -n 4 <<J
srun "$copse" run -q --gather on -o hosts.copse "$crash" finish 0 0.2
srun "$copse" merge --cache off hosts.copse -o srun.h5
! command -v mpiexec.mpich ||
	mpiexec.mpich -n 4 "$copse" merge --cache off hosts.copse -o hydra.h5
J
)
	over "$job" || return 1
	cat "slurm-$job.out"
	has hosts.copse node-ash.h5 node-elm.h5 || return 1
	"$copse" merge -q -t 1 hosts.copse -o here.h5 && cmp here.h5 srun.h5 &&
		[ "$(grep -c '^srun.h5: 4 processes' "slurm-$job.out")" = 1 ] ||
		return 1
	! command -v mpiexec.mpich || cmp here.h5 hydra.h5
}

# The ranks of one of them are shown, whoever started it.
in_a_script() {
	may
	[ -x "$programs/mpi-skew" ] || skip "mpi-skew was not built"
	cat >several <<'S'
srun -n 2 "$1" 0.002
srun -n 2 "$1" 0.2
mpirun -n 2 "$1" 0.001
S
	job=$(batch -J script -N 1 -n 2 <<J
"$copse" run -q -o several.copse sh several "$programs/mpi-skew"
J
)
	over "$job" || return 1
	cat "slurm-$job.out"
	"$copse" report several.copse | tee summary
	grep '^summary .*mpi-skew 0.2 · 2 ranks' summary &&
		grep '^! 2 other MPI jobs with 4 processes' summary &&
		! grep 'not matched' summary
}

# What is on another host runs unmeasured, and is said to be missing.
in_front() {
	may
	[ -x "$programs/mpi-skew" ] || skip "mpi-skew was not built"
	job=$(batch -J front -N 2 -n 2 <<J
"$copse" run -q -o front.copse srun "$programs/mpi-skew" 0.1 && echo well
J
)
	over "$job" || return 1
	grep -x well "slurm-$job.out" || { cat "slurm-$job.out"; return 1; }
	"$copse" report front.copse | tee summary
	grep '^rank [01] of 2 ' summary &&
		grep '^! rank [01]: no profile here; .*in front' summary
}

# MPICH's mpiexec starts its proxies by srun, whose ranks are not the job's.
# Its ranks send each other nothing: MPICH 4.0 over TCP may hang in
# MPI_Finalize on two hosts, without copse as well, 8 runs of 25 here.  A
# rank that has closed its connections waits for all without serving those
# that still close theirs (MPICH's pull request 6596).
hydra() {
	may
	need mpicc.mpich mpiexec.mpich
	mpicc.mpich -O2 -g -o crash-mpich "$srcdir/tests/programs/mpi-crash.c" ||
		return 1
	job=$(batch -J hydra -N 2 -n 4 <<J
mpiexec.mpich -n 4 sh -c '"$copse" run -q -o hydra.copse ./crash-mpich apart'
srun --mpi=pmi2 "$copse" run -q -o pmi2.copse ./crash-mpich apart 0 0.2
J
)
	over "$job" || return 1
	cat "slurm-$job.out"
	for dir in hydra.copse pmi2.copse; do
		has $dir rank-0.h5 rank-1.h5 rank-2.h5 rank-3.h5 &&
			says $dir "Slurm job $job" || return 1
	done
	says pmi2.copse 'step 1' && ! facts hydra.copse | grep 'step [0-9]'
}

at_once() {
	may
	job=$(batch -N 2 -n 4 <<J
srun -n 2 -N 2 --exact "$copse" run -q "$crash" finish 0 0.2 &
srun -n 2 -N 2 --exact "$copse" run -q "$crash" finish 0 0.2 &
wait
J
)
	over "$job" || return 1
	cat "slurm-$job.out"
	for dir in mpi-crash.copse/ mpi-crash.2.copse; do
		has $dir rank-0.h5 rank-1.h5 && facts $dir || return 1
	done >both
	cat both
	[ "$(sort -u both | wc -l)" = 2 ]
}

array() {
	may
	job=$(batch -N 2 -n 2 --array=1,4,7 <<J
srun "$copse" run -q "$crash" finish 0 0.2
J
)
	over "$job" || return 1
	for task in 1 4 7; do
		has "mpi-crash-${job}_$task.copse" rank-0.h5 rank-1.h5 &&
			says "mpi-crash-${job}_$task.copse" "array $job" \
				"task $task" || return 1
	done
}

is_again() {
	on ash scontrol show job "$1" | grep -q Restarts=1
}

# What the first attempt had measured stays beside the second's.
again() {
	may
	job=$(batch -N 2 -n 2 --requeue <<J
srun "$copse" run -q -o again-%j.copse "$crash" finish 0 0.2
[ -n "\$SLURM_RESTART_COUNT" ] || { scontrol requeue \$SLURM_JOB_ID; sleep 60; }
J
)
	wait_up_to 100 test -e "again-$job.copse/.finished" || return 1
	wait_up_to 100 is_again "$job" || return 1
	# Slurm waits two minutes; its credentials must differ by seconds.
	sleep 2
	on ash scontrol update "JobId=$job" StartTime=now
	over "$job" || return 1
	cat "slurm-$job.out"
	has "again-$job.copse" rank-0.h5 rank-1.h5 &&
		has "again-$job.2.copse" rank-0.h5 rank-1.h5 &&
		says "again-$job.2.copse" 'restart 1'
}

cancelled() {
	may
	job=$(batch -N 2 -n 2 <<J
srun "$copse" run -q --checkpoint 1 -o cancelled.copse ./mild
J
)
	wait_up_to 100 running cancelled.copse 2 || return 1
	on ash scancel "$job"
	over "$job" || return 1
	has cancelled.copse rank-0.h5 rank-1.h5 &&
		says cancelled.copse "Slurm job $job" || return 1
	# A child that was cancelled with them may have a profile, too.
	for rank in 0 1; do
		"$copse" info "cancelled.copse/rank-$rank.h5" >facts
		grep 'end  *signal 15' facts || { cat facts; return 1; }
	done
	"$copse" report cancelled.copse >summary
	# Slurm may be at it yet, and does not say why then.
	grep -xE '! Slurm ended the job: cancelled(, or its script ended)?[.]' \
		summary ||
		{ cat summary; return 1; }
}

# answers COMMAND…: it says for whom the job of hangs waits.
answers() {
	"$@" >stuck 2>&1
	grep -q 'for rank 3, which is in MPI_Finalize' stuck
}

# On a host that has none of its ranks, as a login node; and the memory of it.
asked_by_number() {
	may
	job=$(batch -w elm -N 1 -n 4 <<J
srun "$copse" run -q -o asked.copse "$programs/hangs" skip
J
)
	wait_up_to 30 answers on ash "$copse" stuck --between 0.3 --width 250 "$job"
	good=$?
	cat stuck
	on ash scancel "$job"
	over "$job" && [ $good = 0 ] || return
	"$copse" report memory -f json asked.copse >memory &&
		grep -qE '"most": ?[1-9]' memory || { cat memory; return 1; }
}

# has_rows COUNT COMMAND…: a table of so many.
has_rows() {
	count=$1
	shift
	"$@" >rows 2>said && [ "$(wc -l <rows)" = $((count + 1)) ]
}

# By its number on its host, and where it has no rank; by nobody else.
seen_by_number() {
	wait_up_to 30 has_rows 4 on elm "$copse" top --once --delay 0.3 -f csv \
		--table ranks "$1" || { cat rows said; return 1; }
	wait_up_to 30 has_rows 4 on ash "$copse" top --once --delay 0.3 -f csv \
		--table ranks "$1" || { cat rows said; return 1; }
	on elm setpriv --reuid=65534 --regid=65534 --clear-groups "$copse" top \
		--once "$1" && return 1
	on elm "$copse" control "$1" stop >said 2>&1 || { cat said; return 1; }
	cat said
}

# Beside our prolog, which slurmd calls, and whose epilog leaves nothing.  What it
# makes of the metrics is judged where it is called by hand: here they came late,
# or not at all, on a host that had jobs before.
with_prolog() {
	may
	mkdir -p text
	touch root.watched
	job=$(batch -w elm -N 1 -n 4 <<J
srun "$copse" run -q -o numbered.copse "$programs/steered" until "$PWD/enough"
J
)
	seen_by_number "$job"
	good=$?
	touch enough
	over "$job" || good=1
	rm root.watched
	find text watch
	[ $good = 0 ] && [ -z "$(find text watch -name "*$job*")" ]
}

# The job script that we give away.  srun kills all at once; what is left is
# found by its last lines.
recovered() {
	may
	mkdir -p bin && ln -sf "$copse" bin/copse
	job=$(PATH=$PWD/bin:$PATH on ash sbatch --parsable -N 2 -n 4 \
		"$srcdir/share/slurm/copse.sbatch" "$crash" segv 1 0.5)
	over "$job" || return 1
	cat "slurm-$job.out"
	dir=mpi-crash-$job.0.copse
	has "$dir" rank-0.h5 rank-1.h5 rank-2.h5 rank-3.h5 || return 1
	near "$(work "$dir" before_the_end)" 2 0.3 &&
		says "$dir" "Slurm job $job" 'step 0' &&
		! on ash sh -c 'grep -l mpi-crash /dev/shm/copse-0/*/job'
}

# Of each rank there is a file from after SIGTERM, in whole seconds: a copy, or
# the profile where the program was killed before its parent.  There is none from
# before.
copied_late() {
	told=$(sed -n 's/.* STEP .* CANCELLED AT \([^ ]*\) .*/\1/p' \
		"slurm-$late.out" | head -n 1)
	told=$(date -d "$told" +%s) || return 1
	for rank in 0 1; do
		newest=$(stat -c %Y late.copse/rank-"$rank"[.-]* | sort -n |
			tail -n 1)
		[ "$newest" -ge "$told" ] && continue
		echo "rank $rank: $newest, told $told"
		return 1
	done
}

# Killed without a word some seconds after SIGTERM, which it does not hear.
too_late() {
	may
	over "$late" || return 1
	cat "slurm-$late.out"
	case $(state "$late") in
	*TIMEOUT*) ;;
	*) echo "it ended as $(state "$late")"; return 1 ;;
	esac
	ls -l late.copse | head -n 4
	copied_late && says late.copse "Slurm job $late" || return 1
	"$copse" report late.copse >summary
	cat summary
	grep -x '! Slurm ended the job: time limit.' summary || return 1
	# Children of the shells may have been sampled, too.
	grep -qE '^([2-9]|[1-9][0-9]+) processes .* on 2 hosts' summary
}

point "srun and mpirun in a job know it and all its hosts" steps
point "steps and mpirun in a script are told apart" in_a_script
point "in front of srun its own host is measured" in_front
point "a file for each host, and steps that merge" together
point "MPICH's mpiexec, and srun with its PMI" hydra
point "steps at once are kept apart" at_once
point "each task of an array has its own" array
point "a job that is started again leaves the first attempt" again
point "scancel: complete" cancelled
point "a job that hangs is asked by its number elsewhere" asked_by_number
point "by its number it is seen and steered, beside a prolog" with_prolog
point "the job script finds what srun killed" recovered
point "a time limit, and a program that does not end" too_late
points_done
