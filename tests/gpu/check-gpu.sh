#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check-gpu.sh - each line of tests/gpu/cases.tbl with and without copse: the same
# output and exit status; and what the program says of itself stands in the
# reports.  `make check-gpu` runs it on a machine that has a GPU; elsewhere it
# skips.
#
#   tests/gpu/check-gpu.sh           all of them
#   tests/gpu/check-gpu.sh NAME...   these
#
# Elsewhere than in a build tree: COPSE is the command, GPU_PROGRAMS the folder of
# the programs.  KEEP is a folder for the profiles and reports.
srcdir=${srcdir:-$(dirname "$0")/../..}
# shellcheck source=tests/lib/tap.sh
. "$srcdir/tests/lib/tap.sh"
# shellcheck source=tests/gpu/truths.sh
. "$srcdir/tests/gpu/truths.sh"
copse=${COPSE:-$copse}
gpu=${GPU_PROGRAMS:-$builddir/tests/gpu}
keep=${KEEP:-$scratch/keep}
limit=60  # seconds for one run
longer=15 # seconds more than without copse: the records' way home is bounded
mkdir -p "$keep" && cd "$scratch" || exit 99

cases() {
	grep -v -e '^#' -e '^ *$' "$srcdir/tests/gpu/cases.tbl" |
		sed 's/[ 	]\{2,\}/	/g' |
		sed "s|@/|$gpu/|g; s|S/|$srcdir/tests/gpu/|g"
}

# A machine without a GPU, or a build without nvcc: the reason.  A GPU that does
# not work is no reason.
no_gpu() {
	if [ ! -x "$gpu/paths" ]; then
		echo "the GPU programs were not built: no CUDA compiler?"
		return
	fi
	timeout -k 5 $limit "$gpu/paths" >any 2>&1
	[ $? = 77 ] && sed -n 's/^skip: //p' any | head -n 1
}

# has_options OPTION...: copse run knows them.
has_options() {
	for option in "$@"; do
		option=${option%%=*}
		"$copse" run --help 2>&1 | grep -qe "$option" ||
			skip "copse run has no $option"
	done
}

# launch OUTPUT COMMAND...: its exit status; 77 skips with what it said.
launch() {
	out=$1
	shift
	began=$(date +%s)
	timeout -k 5 $limit "$@" >"$out" 2>"$out.err" </dev/null
	status=$?
	took=$(($(date +%s) - began))
	[ $status != 124 ] || echo "it hangs: $*"
	return $status
}

# runs_alone LAUNCH PROGRAM
runs_alone() {
	for word in $1 $2; do
		case $word in
		/* | *=/*) [ -e "${word#*=}" ] || skip "${word#*=} was not built" ;;
		mpirun | python3 | compute-sanitizer) need "$word" ;;
		esac
	done
	# shellcheck disable=SC2086 # lists of words
	launch without $1 $2
	echo $? >without.status
	alone=$took
	case $(cat without.status) in
	77)	skip "$(sed -n 's/^skip: //p' without.err | head -n 1)" ;;
	# Other ends may be wanted.
	1 | 12[4-7])
		cat without without.err
		return 1 ;;
	esac
}

# same NAME LAUNCH OPTIONS PROGRAM
same() {
	runs_alone "$2" "$4" || return
	# shellcheck disable=SC2086 # a list of words
	has_options $3
	# shellcheck disable=SC2086 # lists of words
	launch with $2 "$copse" run --quiet -o "$keep/$1.copse" $3 $4
	is=$?
	cp with "$keep/$1.out"
	[ $is = "$(cat without.status)" ] || {
		echo "status $is, not $(cat without.status)"
		cat with with.err
		return 1
	}
	[ $took -le $((alone + longer)) ] ||
		{ echo "it took $took s, $alone without copse"; return 1; }
	same_each_time without | sort >a
	same_each_time with | sort >b
	diff a b
}

report_to() {
	to=$1
	shift
	"$copse" report "$@" "$keep/$case.copse" -f csv >"$to" 2>report.err || {
		cat report.err
		rm -f "$to"
		return 1
	}
}

# Counters of GPUs may be for administrators alone.
forbidden() {
	report_to losses --table losses && grep -q '^gpu.samples.forbidden,' losses
}

# Nearly all records find the path that they belong to, whatever the program.
truths_are_found() {
	[ -e with ] || skip "there was no run"
	[ -d "$keep/$case.copse" ] || { echo "copse left no profile"; return 1; }
	! forbidden || skip "only administrators may sample GPUs here"
	report_to records gpu-kernels --table records || return
	cp with said
	grep -q '^all,0,' records ||
		echo "truth records all * attributed 0.999" >>said
	truths_hold said "$keep/$case.reports"
}

same_result() {
	for run in stencil stencil-two; do
		grep -s '^after ' "$keep/$run.out" >>results ||
			skip "there was no run"
	done
	cat results
	[ "$(sort -u results | wc -l)" = 1 ]
}

if reason=$(no_gpu); then
	point "GPU programs" skip "$reason"
	points_done
fi
cases >lines
while IFS='	' read -r case truths launch options program; do
	case " $* " in
	'  ' | *" $case "*) ;;
	*)	continue ;;
	esac
	rm -rf with without "$keep/$case.copse" "$keep/$case.reports" \
		"$keep/$case.out"
	[ "$launch" != - ] || launch=
	[ "$options" != - ] || options=
	point "$case: the same with copse" same "$case" "$launch" \
		"$options" "$program"
	[ "$truths" != all ] ||
		point "$case: reports say what is true" truths_are_found
done <lines
point "stencil: the same result on one rank and two" same_result
points_done
