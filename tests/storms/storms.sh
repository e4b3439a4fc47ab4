#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# storms.sh - each line of storms.tbl at 10,000 samples per second: no hang, no
# crash, the same output and exit status as without copse, and enough samples
# where it is dangerous.  Then the same storms with collectors that do what
# none may do: they have to fail.
#
#   tests/storms/storms.sh                     all of them, half a second each or more
#   tests/storms/storms.sh NAME… [SECONDS]     these, for longer when wanted
#
# Variables: STORM_SECONDS=10, the same of all; STORM_TRIES=20, how often a broken
# collector is tried.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

table=$srcdir/tests/storms/storms.tbl
limit=900 # seconds more than it was asked for until a storm hangs
least=1000
tries=${STORM_TRIES:-4}
export NO_MALLOC="$scratch/handlers"
# On one host; Open MPI 5 complains of it where there is no network.
export OMPI_MCA_btl=^tcp

storms() {
	grep -v -e '^#' -e '^ *$' "$table" | sed 's/[ 	]\{2,\}/	/g' |
		sed "s|@/|$builddir/tests/storms/|g
			s|@P/|$programs/|g
			s|@S/|$srcdir/tests/storms/|g"
}

# What the line's program needs is here, and was built.
here() {
	[ "$1" = - ] || need mpirun
	for word in $(echo "${2#-}" | tr , ' ') $3; do
		case $word in
		LD_PRELOAD=/*) file=${word#*=} ;;
		LD_PRELOAD=*)
			ldconfig -p | grep -q "${word#*=} " ||
				skip "no ${word#*=} here"
			continue ;;
		/*)	file=$word ;;
		node)	need node; continue ;;
		*)	continue ;;
		esac
		[ -e "$file" ] || skip "$file was not built"
	done
}

# launch RANKS ENVIRONMENT COMMAND…: its output and exit status.
launch() {
	ranks=$1
	environment=$(echo "${2#-}" | tr , ' ')
	shift 2
	[ "$ranks" = - ] || set -- mpirun -n "$ranks" "$@"
	# shellcheck disable=SC2086 # a word or none
	timeout -k 5 $((limit + ${longer%.*})) env $environment "$@" 2>&1
}

# enough WINDOW: samples of the profiles are there; else tell how many.
enough() {
	window="(^|;)$1(;| [0-9]+$)" least=$least awk '
		$0 ~ ENVIRON["window"] { inside += $NF }
		END {
			if (inside >= ENVIRON["least"])
				exit 0
			print "only", inside + 0, "samples in", ENVIRON["window"]
			exit 1
		}' folded
}

# everywhere WINDOWS: enough in each, with those of earlier tries.
everywhere() (
	set -f
	"$copse" report -f folded -m samples storm.copse >>folded || exit
	for window in $1; do
		enough "$window" || exit
	done
)

# once SECONDS CLOCK RANKS ENVIRONMENT PROGRAM: with copse, and as without.
once() {
	events=cpu@10000
	clock=$2
	case $2 in
	wall)	events=wall@10000 clock=sigtrap ;;
	events)	events=$events,perf::PAGE-FAULTS@7,perf::CS@1,perf::MINOR-FAULTS
		clock=sigtrap ;;
	esac
	rm -rf storm.copse
	# shellcheck disable=SC2086 # a list of words
	COPSE_CLOCK=$clock launch "$3" "$4" "$copse" run --quiet --budget 0 \
		-o storm.copse -e "$events" $5 "$1" >with
	is=$?
	[ $is != 124 ] || { echo "it hangs"; cat with; return 1; }
	[ $is = "$status" ] ||
		{ echo "status $is, not $status"; cat with; return 1; }
	! grep -q 'does not allow waiting to be sampled' with ||
		skip "waiting may not be sampled here"
	diff without with
}

# Too few samples are no surprise for a user who may not have that clock.
may_sample_the_kernel() {
	! "$copse" report measurement storm.copse | tr -s ' \n' ' ' | grep -q 'CPU timer' ||
		skip "kernel time may not be sampled here: too few samples"
}

# storm CLOCK RANKS WINDOWS ENVIRONMENT PROGRAM: for longer when the machine
# gave it too few samples.  A timer ticks at most HZ times a second, with
# `mixed` it is the timer that finds time in the kernel, and with `turns` it
# replaces the event where threads hand work to each other.
storm() {
	here "$2" "$4" "$5"
	# shellcheck disable=SC2086 # a list of words
	longer=0 launch "$2" "$4" $5 0.1 >without
	status=$?
	[ $status != 124 ] || { echo "it hangs without copse"; return 1; }
	case $1 in
	timer)	least=100 ;;
	mixed | turns) least=200 ;;
	esac
	: >folded
	for longer in ${seconds:-0.5 1 2 4 8 16 32 64}; do
		once "$longer" "$1" "$2" "$4" "$5" || return
		! everywhere "$3" || return 0
	done
	case $1 in
	sigtrap | wall) may_sample_the_kernel ;;
	esac
	return 1
}

# with_library FOLDER LIBRARY [NAME]: a copse that takes it for libcopse.so, or
# for the library of that name.
with_library() {
	mkdir -p "$1"
	cp "$copse" "$1/copse"
	cp "$builddir/libcopse-tools.so" "$builddir/libcopse.so" \
		"$builddir/libcopse-openmp.so" \
		"$builddir/libcopse-locks.so" "$1"
	cp "$2" "$1/${3:-libcopse.so}"
}

# One mistake in the handler and the storm that finds it, a line.
cat >mistakes <<'M'
malloc malloc
phdr loader
open io
lock teams
M
sed -n 's/^\([a-z-]*\)	.*/\1/p' "$srcdir/tests/broken/locks.tbl" >lock-mistakes

# start_tries FOLDER STORM SECONDS: all at once, in the background, with FOLDER's
# copse; those hang that take longer.
start_tries() {
	line=$(storms | grep "^$2	") || return
	environment=$(echo "$line" | cut -f 5 | tr , " ")
	program=$(echo "$line" | cut -f 6)
	for try in $(seq "$tries"); do
		(
			mkdir -p "$1/$2-$try" && cd "$1/$2-$try" || exit
			# shellcheck disable=SC2086 # lists of words
			timeout -k 2 "$3" env ${environment#-} ../copse \
				run --quiet --budget 0 -e cpu@10000 \
				$program 1 >out 2>&1
			echo $? >status
		) &
	done
}

start_mistakes() {
	with_library right "$builddir/libcopse.so"
	while read -r mistake storm; do
		with_library "$mistake" "$builddir/tests/broken/$mistake.so"
		start_tries "$mistake" "$storm" 25
		start_tries right "$storm" $limit
	done <mistakes
	wait
	while read -r mistake; do
		with_library "$mistake" "$builddir/tests/broken/locks-$mistake.so" \
			libcopse-locks.so
		start_tries "$mistake" locks 25
	done <lock-mistakes
	start_tries right locks $limit
	wait
}

# ended FOLDER STORM PATTERN LEAST: so many tries' status matches.
ended() {
	cat "$1/$2"-*/status >statuses
	[ "$(grep -cx "$3" statuses)" -ge "$4" ] && return
	echo "exit statuses of $tries tries:"
	cat statuses
	return 1
}

# The check for allocations does not depend on luck.
caught() {
	with_library "$1" "$builddir/tests/broken/$1.so"
	NO_MALLOC=none longer=0 launch - "LD_PRELOAD=$builddir/tests/storms/no-malloc.so" \
		"$1/copse" run --quiet --budget 0 -e cpu@10000 \
		"$builddir/tests/storms/contexts" 1 >out
	status=$?
	cat out
	[ $status = 86 ] && grep -q 'in the handler' out
}

# Or else no line with no-malloc.so says anything.
handlers_seen() {
	seen=$(awk '{ n += $1 } END { print n + 0 }' "$NO_MALLOC")
	echo "$seen handlers ran with no-malloc.so"
	[ "$seen" -ge 2000 ]
}

names=
seconds=$STORM_SECONDS
for word in "$@"; do
	case $word in
	[0-9]*)	seconds=$word ;;
	*)	names="$names $word" ;;
	esac
done

storms >lines
while IFS="	" read -r line ranks clocks windows environment program; do
	case " $names " in
	'  ' | *" $line "*) ;;
	*)	continue ;;
	esac
	for clock in $clocks; do
		point "$line, $clock" storm "$clock" "$ranks" "$windows" \
			"$environment" "$program"
	done
done <lines
if [ -z "$names" ]; then
	point "no allocation in any handler" handlers_seen
	point "an allocation in the handler is noticed" caught malloc
	point "a list of modules in the handler is noticed" caught phdr
	start_mistakes 2>crashes
	while read -r mistake storm; do
		point "$storm passes, all at once" \
			ended right "$storm" 0 "$tries"
		# It hangs, crashes, or finds its data broken; one of
		# four was lucky, once, while other tests ran beside it.
		point "$storm fails with $mistake in the handler" \
			ended "$mistake" "$storm" '[1-9][0-9]*' $((tries / 2))
	done <mistakes
	point "locks passes, all at once" ended right locks 0 "$tries"
	while read -r mistake; do
		point "locks fails with $mistake in the adapter" \
			ended "$mistake" locks '[1-9][0-9]*' $((tries / 2))
	done <lock-mistakes
fi
points_done
