#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# all.sh RESULTS [SECONDS] - on a machine with a GPU, everything in one go and in
# SECONDS (570) at most: what the machine is, check-gpu.sh, then the benches with
# few rounds.  Run from a build tree after `make check TESTS= gpu-programs`, or as DIRECTORY/gpu
# of what tests/bench/pack.sh made.  RESULTS gets
#
#   summary       how each part ended, what failed, and the tables of the benches
#   NAME.log      all that a part said, at once as it comes
#   kept.tar.gz   profiles, reports and the programs' output
#
# A part that takes too long is ended and the next begins; what it had said stays.
#
#   PARTS   of machine check launch apps, all
#   ROUNDS  of the benches, 3
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-3}
copse=${COPSE:-$PWD/copse}

say() {
	echo "$*" | tee -a "$results/summary"
}

machine() {
	uname -a
	nproc
	nvidia-smi
	nvcc --version
	mpirun --version
	python3 -c 'import torch; print("torch", torch.__version__, torch.version.cuda)'
	ls -l /usr/local/cuda/lib64/libcupti* /usr/local/cuda/extras/CUPTI/lib64
	"$copse" check
	true
}

check() {
	sh "$here/check-gpu.sh"
}

launch() {
	"$here/../bench/gpu-launch.sh" "$rounds"
}

apps() {
	STEPS=200 "$here/../bench/gpu-apps.sh" "$rounds"
}

# part NAME SECONDS: in a session of its own, so that a time limit ends all of it,
# with what hangs below limits of its own; five seconds are kept for what comes last.
part() {
	local left=$((end - SECONDS - 5)) took=$SECONDS status

	[ "$left" -gt 5 ] || { say "== $1: no time left"; return; }
	setsid timeout -k 5 $(($2 < left ? $2 : left)) \
		bash "$here/all.sh" --part "$1" >"$results/$1.log" 2>&1 &
	wait $!
	status=$?
	[ $status -lt 124 ] || pkill -KILL -s $!
	say "== $1: status $status, $((SECONDS - took)) s"
}

# What a reader looks for first.
highlights() {
	[ -e "$results/$1.log" ] || return 0
	case $1 in
	check)	echo "$(grep -c '^ok' "$results/check.log") ok," \
			"$(grep -c '^not ok' "$results/check.log") not ok," \
			"$(grep -c '# SKIP' "$results/check.log") of them skipped"
		grep -E '^not ok|# SKIP' "$results/check.log" |
			grep -v 'there was no run' ;;
	launch | apps) grep -vE '^# .*round' "$results/$1.log" ;;
	esac | tee -a "$results/summary"
}

# Its own child: one part.
if [ "${1-}" = --part ]; then
	"$2"
	exit
fi

[ $# -ge 1 ] || { echo "usage: all.sh RESULTS [SECONDS]" >&2; exit 2; }
mkdir -p "$1" || exit
results=$(cd "$1" && pwd)
end=$((SECONDS + ${2:-570}))
export KEEP
KEEP=$(mktemp -d)
trap 'rm -rf "$KEEP"' EXIT
: >"$results/summary"

for name in ${PARTS:-machine check launch apps}; do
	case $name in
	machine) part machine 60 ;;
	launch)	part launch 150 ;;
	*)	part "$name" 300 ;;
	esac
	highlights "$name"
done
tar -C "$KEEP" -czf "$results/kept.tar.gz" .
# What failed is what a caller has to know.
! grep -qE '^(not ok|== .* status [1-9])' "$results/summary"
