#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# merge.sh [RANKS…] - copse merge of made jobs, of 128, 1024 and 10240 ranks when
# not given.  A line for each:
#
#   floor     seconds to read the files, once they are in memory
#   seconds   of the merge, and processor seconds of all its threads
#   MiB       resident, at most
#   values    in the database that are not 0, in millions
#   bytes     of the database for each of them
#
# First, ranks are made after a real run of LAMMPS and compared with those of
# real runs of 4, 16 and 64 ranks, of fewer steps each: for each, contexts (of
# all ranks; of one; share of all that one has), values of a rank, the median
# and the 90th percentile of samples of one context, kilobytes of a rank's file.
#
#   MODEL     a rank file, in place of LAMMPS; nothing is compared then
#   VALUES    values of a rank file that are not 0, 42000: 15,000 in the
#             database, where the addresses of one line are one context
#   THREADS   as many as there are cores
#   WHERE     a directory with room: 0.2 MB for each rank
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
# shellcheck source=tests/bench/ranks.sh
. "$(dirname "$0")/ranks.sh"
where=$(mktemp -d "${WHERE:-$scratch}/ranks.XXXXXX") || exit
trap 'rm -rf "$where" "$scratch"' EXIT
[ $# -gt 0 ] || set -- 128 1024 10240
python=
for try in python3 /usr/bin/python3; do
	"$try" -c 'import h5py' 2>/dev/null && python=$try && break
done

describe() {
	[ -n "$python" ] || { echo "# no h5py"; return; }
	"$python" - "$1" "$2" <<'P'
import glob, os, statistics, sys, h5py, numpy
files = sorted(glob.glob(sys.argv[2] + '/rank-*.h5'))
everything, own, values, sizes, samples = set(), [], [], [], []
for file in files:
    f = h5py.File(file, 'r')
    parent, kind, owner, offset = (
        f['nodes'][c][:].tolist() for c in ('parent', 'kind', 'owner', 'offset'))
    path, text = f['modules/path'][:], f['names/text'][:]
    key = [0]
    for p, k, o, at in list(zip(parent, kind, owner, offset))[1:]:
        what = (path[o] if k in (1, 2) else text[o] if k == 4 else o)
        key.append(hash((key[p], k, what, at if k != 3 else 0)))
    s = f['metrics/samples']
    count = numpy.bincount(s['node'][:], s['value'][:], len(parent))
    mine = {key[n] for n in numpy.nonzero(count)[0]}
    everything |= mine
    own.append(len(mine))
    samples += count[count > 0].tolist()
    values.append(sum(len(m['value']) for m in f['metrics'].values()))
    sizes.append(os.path.getsize(file) / 1000)
mean = statistics.mean
q = numpy.percentile(samples, [50, 90])
print(f'{sys.argv[1]:<12} {len(everything):9} {mean(own):9.0f} '
      f'{mean(own) / len(everything):7.2f} {mean(values):8.0f} '
      f'{q[0]:7.0f} {q[1]:7.0f} {mean(sizes):7.0f}')
P
}

# real RANKS STEPS
real() {
	sed "s/^run.*/run $2/" in.melt >in.now
	rm -rf "real-$1"
	mpirun -n "$1" "$copse" run -q -e cpu,wall -o "real-$1" \
		lmp -log none -in in.now >out 2>&1 || { cat out; exit 1; }
}

compare() {
	have mpirun && have lmp || exit 0
	sed -n '/^units/,/^run/p' "$srcdir/tests/real/lammps.sh" >in.melt
	printf '%-12s %9s %9s %7s %8s %7s %7s %7s\n' ranks contexts 'of one' \
		share values median '90 %' kB
	for size in '4 1500' '16 500' '64 200'; do
		# shellcheck disable=SC2086 # two words
		real $size
		model=$PWD/real-${size% *}/rank-0.h5
		describe "real ${size% *}" "real-${size% *}"
		make_ranks "${size% *}" "$where/made"
		describe "made ${size% *}" "$where/made"
		rm -rf "$where/made"
	done
	model=$PWD/real-4/rank-0.h5
}

database_values() {
	h5dump -H "$1" | awk '/GROUP "values"/ { inside = 1 }
		inside && /SIMPLE/ { sub(/.*[{] [(] /, ""); sum += $1; inside = 0 }
		END { if (sum) print sum }'
}

merge() {
	local ranks=$1 floor memory values

	make_ranks "$ranks" "$where/job" values="${VALUES:-42000}" || exit
	find "$where/job" -name 'rank-*.h5' -exec cat '{}' + >/dev/null
	cpu_and_wall find "$where/job" -name 'rank-*.h5' -exec cat '{}' +
	floor=$wall
	set -- "$copse" merge -q ${THREADS:+-t "$THREADS"} "$where/job"
	cpu_and_wall "$@"
	memory=$(python3 -c 'import resource, subprocess, sys
subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@")
	values=$(database_values "$where/job/run.h5" 2>/dev/null)
	printf '%-8s %8.1f %8.1f %8.1f %6d %8s %6s\n' "$ranks" "$floor" \
		"$wall" "$cpu" "$memory" \
		"$([ -z "$values" ] || calculate "int($values / 1e5) / 10")" \
		"$([ -z "$values" ] || calculate "int(100 * $(stat -c %s \
			"$where/job/run.h5") / $values) / 100")"
	rm -rf "$where/job"
}

cd "$scratch" || exit
machine
[ -n "$model" ] || compare
have python3 || exit 0
have h5dump # or the last columns stay empty
printf '%-8s %8s %8s %8s %6s %8s %6s\n' ranks floor seconds cpu MiB values bytes
for ranks; do
	merge "$ranks"
done
