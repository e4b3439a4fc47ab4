#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# output.sh - where profiles go: one directory per job, never over an
# older one, nothing left behind; and what is left of a killed run is found.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99

# A program that computes long enough to be sampled, by name.
cat >busy <<'S'
#!/bin/sh
i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done
S
# … and one that goes on until it is stopped.
cat >endless <<'S'
#!/bin/sh
echo $$ >pid
while :; do :; done
S
chmod +x busy endless

# has DIR FILE…: exactly these, apart from hidden ones.
has() {
	dir=$1
	shift
	printf '%s\n' "$@" | sort >want
	ls "$dir" | diff want -
}

# fresh NAME: an empty working directory.
fresh() {
	mkdir "$1" && cd "$1" && cp ../busy ../endless .
}

# rank N OF KEY: the launcher's words for the command that follows.
rank() {
	n=$1
	of=$2
	key=$3
	shift 3
	env PMIX_NAMESPACE="$key" PMIX_RANK="$n" OMPI_COMM_WORLD_RANK="$n" \
		OMPI_COMM_WORLD_SIZE="$of" "$@"
}

default_name() {
	fresh "$1" && "$copse" run -q ./busy && has busy.copse rank-0.h5
}

never_over() {
	fresh "$1" && "$copse" run -q ./busy && sum=$(cksum busy.copse/*) &&
		"$copse" run -q ./busy && "$copse" run -q ./busy || return 1
	[ "$sum" = "$(cksum busy.copse/*)" ] && has busy.2.copse rank-0.h5 &&
		has busy.3.copse rank-0.h5
}

replaced() {
	fresh "$1" && "$copse" run -q ./busy || return 1
	touch busy.copse/rank-7.h5 busy.copse/run.h5 busy.copse/mine
	"$copse" run -q --force ./busy
	has busy.copse mine rank-0.h5 && [ ! -e busy.2.copse ]
}

# force_begins HOST: what a run on that host left when it was killed, long ago or
# just now; $took: until the program had done its work.
force_begins() {
	rm -rf busy.copse
	"$copse" run -q ./busy || return
	printf %s "$1" >busy.copse/.force
	shift
	"$@" || return
	before=$(date +%s)
	"$copse" run -q --force -o busy.copse ./timed || return
	took=$(($(stat -c %Y begun) - before))
	echo "took $took s"
	has busy.copse rank-0.h5 && [ ! -e busy.copse/.force ]
}

# What was left is no lock: not here, and elsewhere not for long.
left_force() {
	fresh "$1" || return
	cp busy timed && echo ': >begun' >>timed
	for begin in "" "$(uname -n)"; do
		force_begins "$begin" true && [ $took -lt 6 ] || return
	done
	force_begins elsewhere touch -d '1 minute ago' busy.copse/.force &&
		[ $took -lt 6 ]
}

# A process that lives has it, here or elsewhere: that is waited for.
held_force() {
	need flock
	fresh "$1" && "$copse" run -q ./busy || return
	uname -n | tr -d '\n' >busy.copse/.force
	flock busy.copse/.force -c 'touch busy.copse/locked; exec sleep 4' &
	wait_for test -e busy.copse/locked || return
	"$copse" run -q --force ./busy &
	run=$!
	sleep 2
	[ -e busy.copse/.force ] && [ -z "$(find busy.copse -name '.rank-*')" ] || return
	wait $run && has busy.copse rank-0.h5 locked || return
	printf elsewhere >busy.copse/.force
	timeout -s KILL 4 "$copse" run -q --force ./busy
	[ -e busy.copse/.force ] && has busy.copse rank-0.h5 locked
}

# Where there can be no directory, nothing is put beside it.
no_directory() {
	fresh "$1" && mkdir home && mkfifo pipe && ln -s /dev/null link || return
	for name in /dev/null pipe link; do
		HOME=$PWD/home "$copse" run --no-report -o $name ./busy 2>err </dev/null ||
			return
		cat err
		grep "cannot create $name: that is a device, a pipe" err &&
			! ls -d $name.* || return
	done
	has null rank-0.h5
}

foreign() {
	fresh "$1" && mkdir out && touch out/mine &&
		"$copse" run -q --force -o out ./busy || return 1
	has out mine && has out.2 rank-0.h5
}

# What is printed can be pasted.
blanks() {
	fresh "$1" && "$copse" run -o "it's here" ./busy 2>err || return 1
	grep "to see them: " err | sed 's/.*to see them: copse/"$copse"/' >again
	cat again
	copse=$copse sh -e again >report && grep summary report
}

# Not in what is there, and not beside it.
here() {
	fresh "$1" && "$copse" run -q -o . ./busy && "$copse" run -q -o ./ ./busy ||
		return
	has . busy endless want busy.copse busy.2.copse &&
		has busy.2.copse rank-0.h5
}

# shows WHAT SAID WORDS…: the run, as its command line says, and says so.
shows() {
	what=$1
	said=$2
	shift 2
	"$copse" "$@" >out 2>err
	cat err
	grep -q "busy $what\$" out && {
		[ "$said" ] && grep -q "$said" err || [ ! -s err ]
	}
}

# Of a name cut short the one that began last; a whole name is that one, and
# that there is a newer one is said.
newest() {
	fresh "$1" && for n in 1 2 3; do
		"$copse" run -q ./busy $n || return
	done
	for name in busy ./busy; do
		shows 3 'busy.3.copse, the newest of 3 runs$' info $name ||
			return
	done
	shows 1 'a newer run is busy.3.copse' info busy.copse &&
		shows 3 '' info busy.3.copse &&
		shows 1 '' info busy.copse/ &&
		shows 2 '' info busy.2.copse || return
	"$copse" report -f csv busy >new.csv && "$copse" report -f csv \
		busy.3.copse/ | cmp - new.csv || return
	"$copse" merge busy 2>err | grep '^busy.3.copse/run.h5' || return
	grep '^copse merge: busy.3.copse, the newest' err || return
	# Several are those of these names.
	"$copse" info busy.copse busy.3.copse | grep 'busy 1$' || return
	# A later one may have an earlier name.
	"$copse" run -q --force ./busy 4 && shows 4 newest info busy &&
		shows 3 '' info busy.3.copse && rm -r busy.copse &&
		! "$copse" info busy.copse 2>err && grep busy.copse err
}

# named NAME WORDS…: what these leave is NAME.copse.
named() {
	name=$1
	shift
	"$copse" run -q "$@" && [ -e "$name.copse" ] && rm -r "$name.copse" ||
		{ echo "$*:"; ls; return 1; }
}

# What all profiles of a script's language, or of a wrapper, would be called.
by_subject() {
	fresh "$1" || return 1
	echo '[i * i for i in range(2000000)]' >slow.py
	named busy sh -e ./busy && named busy env A=1 nice -n 1 ./busy &&
		named busy timeout -s KILL 100 sh busy &&
		named busy sh busy -c && named sh sh -c '. ./busy' || return 1
	need python3
	named slow.py python3 -u -X dev slow.py &&
		named slow.py taskset -c 0 python3 -m cProfile slow.py &&
		named timeit python3 -m timeit -n 1 'sum(range(2000000))' &&
		named python3 python3 -c 'sum(range(20000000))' slow.py
}

# why DIR WORD COMMAND…: no sample, and for that reason.
why() {
	word=$2
	fresh "$1" || return 1
	shift 2
	# Few samples: what starts the program takes milliseconds on slow
	# machines, and should have none.
	"$copse" run --freq 20 "$@" 2>err
	cat err
	grep -e 'took no sample' -e 'not measured:' err | grep -F -e "$word"
}

# A program without a loader that computes, and a script that starts it.
static_program() {
	need cc
	echo 'int main(void) { for (volatile long i = 0; i < 300000000; i++)
		; return 0; }' >static.c
	cc -static -o static static.c || skip "no static C library"
	printf '#!/bin/sh\n%s/static\n' "$PWD" >starts-static
	chmod +x starts-static
}

why_static() {
	static_program && why s1 'started is linked statically' ../starts-static
}

why_user() {
	for_others shares
	why s3 'another user' setpriv --reuid=65534 --clear-groups \
		"$programs/shares" 0.5
}

why_env() {
	why s4 LD_PRELOAD env -u LD_PRELOAD "$programs/shares" 0.5
}

# The program that was run is no run.
by_program() {
	fresh "$1" && cp "$programs/shares" app && "$copse" run -q ./app 0.05 &&
		"$copse" report app | grep 'summary · ./app 0.05' &&
		! "$copse" report other 2>err && grep 'neither a profile' err &&
		"$copse" run -q ./app 0.05 &&
		"$copse" report -f csv diff app app.2 >short &&
		"$copse" report -f csv diff app.copse app.2.copse >full &&
		[ -s short ] && cmp short full
}

empty() {
	fresh "$1" && mkdir out && "$copse" run -q -o out/ ./busy &&
		has out rank-0.h5
}

left_overs() {
	fresh "$1" && "$copse" run -q ./busy || return 1
	! grep -l "$PWD" /dev/shm/copse-"$(id -u)"/*/job
}

children() {
	fresh "$1" && "$copse" run -q sh -c './busy & ./busy & wait' || return 1
	ls sh.copse
	# A sample may fall into what became ./busy, for which there is -1.h5.
	pids=$(ls sh.copse | sed -n 's/^rank-0-\([0-9]*\)[.-].*/\1/p')
	[ "$(echo "$pids" | sort -u | wc -l)" = 2 ]
}

# A shell that takes no sample leaves nothing; what it started ended well.
children_alone() {
	fresh "$1" || return 1
	"$copse" run sh -c './busy & ./busy; wait' 2>err || return 1
	cat err
	! grep -q 'ended unseen' err && "$copse" info sh.copse |
		grep -q 'not seen: the program started it'
}

# Two ranks at once, their second run over the first; one of them speaks.
two_ranks() {
	fresh "$1" || return 1
	for job in a b; do
		for n in 0 1; do
			rank $n 2 $job "$copse" run --force ./busy 2>err$n &
		done
		wait
		cat err0 err1
		has busy.copse rank-0.h5 rank-1.h5 report.html run.h5 || return 1
		[ "$(cat err0 err1 | grep -c 'the profiles are in')" = 1 ] ||
			return 1
	done
}

same_rank_twice() {
	fresh "$1" && rank 0 2 c "$copse" run -q ./busy &&
		rank 0 2 c "$copse" run -q ./busy || return 1
	has busy.copse rank-0.h5 && has busy.2.copse rank-0.h5
}

# Long enough to be sampled.
endless_has_worked() {
	has_worked "$(cat pid)" 5
}

copies() {
	fresh "$1" || return 1
	"$copse" run -q --checkpoint 1 ./endless &
	wait_for sh -c 'ls endless.copse/rank-0-*-0.live' &&
		wait_for endless_has_worked || return 1
	kill "$(cat pid)"
	wait $!
	has endless.copse rank-0.h5
}

killed() {
	fresh "$1" && mkdir endless.copse && touch endless.copse/mine || return 1
	"$copse" run -q ./endless &
	wait_for endless_has_worked || return 1
	kill -9 $!
	wait $! 2>/dev/null
	: >endless.2.copse/rank-0.h5.part$! # as if it was about to write it
	wait_for sh -c '! kill -0 $(cat pid)' || return 1
	"$copse" recover endless.copse || return 1
	has endless.2.copse rank-0.h5 && left_nothing
}

# The command was copied without what writes profiles: what was measured is kept,
# with how the program ended.
not_written() {
	fresh "$1" && mkdir -p bare && cp "$copse" bare &&
		cp "$builddir/libcopse.so" bare || return 1
	bare/copse run --mpi=off -o out sh -c '. ./busy; exit 7' 2>err
	[ $? = 7 ] || return 1
	cat err
	! grep 'no sample' err || return 1
	grep 'could not be written.*; it is kept raw; .*copse recover' err ||
		skip "copse is installed"
	ls out/rank-0-*.live && "$copse" report hotspots out | grep -w sh &&
		rm out/run.h5 &&
		"$copse" info out/rank-0-*.live | grep 'status 7' || return 1
	sed -n 's/.*to try again: copse/"$copse"/p' err >again
	copse=$copse sh -e again && has out rank-0.h5 && left_nothing
}

# limited KIB DIR STATUS: a run with so little address space.
limited() {
	# shellcheck disable=SC3045 # dash and bash have it
	(ulimit -v "$1" && exec "$copse" run -o "$2" \
		sh -c '. ./busy; exit '"$3") 2>err
	status=$?
	[ "$status" = "$3" ] || { echo "$1: $status"; cat err; return 1; }
}

# What writes profiles has little room, or none (run/limits.sh): the program
# runs, and what was measured is kept.  Whatever the libraries meet.
no_room() {
	fresh "$1"
	for kib in 18000 60000; do
		limited "$kib" "none-$kib" 7 && grep 'unmeasured.*-v' err &&
			[ ! -e "none-$kib" ] || return 1
	done
	for kib in $(seq 131072 7000 170000); do
		limited "$kib" "out-$kib" 7 || return 1
		[ -e "out-$kib/rank-0.h5" ] || ls "out-$kib"/rank-0-*.live ||
			{ cat err; return 1; }
	done
	for dir in out-*; do
		"$copse" recover "$dir" || return 1
	done
	left_nothing
}

# The program removes what it finds in its directory, and that above.
removed() {
	fresh "$1" && mkdir above &&
		cat >cleans <<-'S' && chmod +x cleans || return 1
		#!/bin/sh
		. ./busy
		rm -r "$1"
	S
	"$copse" run -q --include=cleans -o above/out ./cleans above/out &&
		has above/out rank-0.h5 || return 1
	"$copse" run -q --include=cleans -o above/out.2 ./cleans above 2>err
	sed -n 's/.*to try again: copse/"$copse"/p' err >again
	mkdir above
	cat err
	copse=$copse sh -e again && has above/out.2 rank-0.h5 && left_nothing
}

left_nothing() {
	! grep -ls "$PWD" /dev/shm/copse-"$(id -u)"/*/job
}

# What a process still writes to is not taken from it.
orphan() {
	fresh "$1" || return 1
	"$copse" run -q sh -c './endless; :' &
	wait_for endless_has_worked || return 1
	kill -9 $!
	wait $! 2>/dev/null
	sleep 0.2
	"$copse" recover sh.copse >got 2>err
	first=$?
	cat got err
	# It is no left-over to be removed, and what it did is there.
	grep -q "still measured: process $(cat pid) " got &&
		! grep -e --remove err &&
		[ -e "sh.copse/rank-0-$(cat pid)-0.live" ] || first=
	kill -9 "$(cat pid)"
	wait_for sh -c '! kill -0 $(cat pid)'
	"$copse" recover sh.copse || return 1
	# The shell, too, has one when a sample fell into it.
	[ "$first" = 0 ] && [ ! -e "sh.copse/rank-0-$(cat pid)-0.live" ] &&
		 [ -e "sh.copse/rank-0-$(cat pid).h5" ] &&
		left_nothing
}

# Nobody reads the summary for a while: the pipe is full with what the program
# said.
long_end() {
	need python3
	fresh "$1" || return
	cat >late.py <<-'END'
		import fcntl, os, subprocess, sys, time
		F_SETPIPE_SZ = 1031
		ends = os.pipe()
		size = fcntl.fcntl(ends[1], F_SETPIPE_SZ, 4096)
		run = subprocess.Popen(sys.argv[1:] + [str(size)], stderr=ends[1])
		os.close(ends[1])
		while not os.path.exists("pid"):
		    time.sleep(0.1)
		while os.path.exists("/proc/" + open("pid").read().strip()):
		    time.sleep(0.1)
		time.sleep(1.5)
		print(open(ends[0]).read()[size:])
		sys.exit(run.wait())
	END
	cat >full <<-'END'
		. ./busy
		echo $$ >being && mv being pid
		head -c "$1" /dev/zero | tr '\0' x >&2
	END
	python3 late.py "$copse" run --page off sh full >said || return
	cat said
	grep -E "that took [1-9][0-9.]* s from the program's end: " said
}

point "PROGRAM.copse/rank-0.h5" default_name a
point "an older run is left alone" never_over b
point "--force replaces it, and only what is copse's" replaced c
point "what a killed --force left delays none" left_force v
point "another --force that goes on is waited for" held_force w
point "a device is no directory, nor is what stands beside it" no_directory x
point "a directory of something else is left alone" foreign d
point "an empty directory is taken" empty e
point "the current directory is no name" here r
point "the newest of a name is shown" newest s
point "scripts and wrapped programs have their own name" by_subject y
point "no sample: a static program below a script" why_static
point "no sample: another user" why_user
point "no sample: LD_PRELOAD is lost" why_env
point "a name without .copse, and beside a program of that name" by_program t
point "a name with blanks is quoted where a command has it" blanks o
point "a profile that could not be written is no lack of samples" not_written p
point "a directory that was removed meanwhile" removed q
point "no memory for what writes profiles: kept, nothing is lost" no_room u
point "what the end of a run takes is said when it is long" long_end z
point "nothing is left in shared memory" left_overs f
point "each process has its file, shells have none" children g
point "children beside a shell are not missed" children_alone n
point "the ranks of a job share a directory; one prints" two_ranks h
point "a rank's second run has its own" same_rank_twice i
point "raw copies while it runs" copies j
point "kill -9 of copse run: program gone, profile recovered" killed k
point "a process that outlives it is not disturbed" orphan l
points_done
