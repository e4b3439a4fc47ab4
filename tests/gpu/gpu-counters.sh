#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gpu-counters.sh - what a GPU's hardware counts, with a made CUDA whose kernels
# use it by construction (tests/gpu/made-counters.c): it is at the kernels that
# ran, and says what bounds them.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
made=$builddir/tests/gpu/made-times
export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH MADE_FAULT COPSE_GPU_CAPTURE

[ -e "$made" ] || { echo "1..0 # SKIP built without CUDA's headers"; exit 0; }
cd "$scratch" || exit 99

# measure NAME [OPTION…]
measure() {
	name=$1
	shift
	"$copse" run -q --force -o "$name.copse" --gpu-counters=on "$@" \
		"$made" counted >out 2>err || { cat out err; return 1; }
}

# cells NAME TABLE COLUMNS: rows of gpu-counters, with blanks between.
cells() {
	"$copse" report gpu-counters "$1.copse" -n 0 -f csv --table "$2" \
		>csv || return
	awk -v columns="$3" -f "$srcdir/tests/lib/csv.awk" csv | tr '\t' ' '
}

# is_about NAME KERNEL COLUMN LEAST MOST
is_about() {
	cells "$1" kernels "kernel $3" |
		awk -v kernel="$2" -v least="$4" -v most="$5" '
		index($0, kernel) == 1 { print; found = $NF >= least && $NF <= most }
		END { exit !found }' ||
		{ echo "$1 $2 $3: not $4 to $5"; cat csv; return 1; }
}

shares() {
	measure all &&
		is_about all alpha sm_active 0.98 1 &&
		is_about all alpha occupancy 0.49 0.5 &&
		is_about all alpha memory 0.78 0.8 &&
		is_about all alpha tensor 0 0 &&
		is_about all beta sm_active 0.88 0.9 &&
		is_about all beta tensor 0.68 0.7
}

bytes() {
	is_about all alpha read_rate 2.94 3 &&
		is_about all alpha write_rate 0.98 1 &&
		is_about all beta read_rate 0.49 0.5
}

bounds() {
	"$copse" report all.copse --width 1000 >got &&
		grep -q 'The largest part of it.*; bound by' got || return
	cells all kernels 'kernel bound' >got
	cat got
	grep -q 'alpha.* memory$' got && grep -q 'beta.* tensor cores$' got
}

# The two kernels run one after the other, a part of the intervals has both.
parts() {
	is_about all alpha alone 0.9 1 && is_about all alpha counted 0.5 1
}

# A copy uses the memory, and no multiprocessor, also beside a kernel.
copies() {
	"$copse" run -q --force -o beside.copse --gpu-counters=on \
		"$made" overlap >out 2>err || return
	is_about beside alpha sm_active 0.95 1 &&
		is_about beside '[copy' sm_active 0 0
}

paths() {
	cells all paths 'kernel call_path' >got
	cat got
	grep -q 'alpha.*counted_alpha' got && grep -q 'beta.*counted_beta' got
}

# Inner ranges are in the outer one: half of its time has 80 % of the memory.
ranges() {
	cells all ranges 'range memory tensor' >got
	cat got
	awk '$1 == "solve" { found += $2 > 0.09 && $2 < 0.11 && $3 > 0.67 }
		$1 == "step" { found += $2 > 0.35 && $2 < 0.55 && $3 < 0.5 }
		END { exit found != 2 }' got
}

# Too few intervals: nothing is said of how it used the GPU.
few() {
	measure few --gpu-counters-period 10000 || return
	cells few kernels 'kernel intervals bound' >got
	cat got
	awk '/tiny/ { found = 1; if ($2 < 3 && NF > 2) exit 1 }
		END { exit !found }' got
}

# lost FAULT LOSS: and the run goes on, without.
lost() {
	MADE_FAULT=$1 measure "$1" || return
	"$copse" report gpu-counters "$1.copse" >got || return
	cat got
	grep -q "$2" got && grep -q 'No counters of GPUs were read' got
}

# The first ones of the list are taken where not all fit into a pass.
passes() {
	MADE_FAULT=passes measure passes &&
		is_about passes alpha memory 0.78 0.8 &&
		is_about passes alpha read_rate 0 0
}

overflow() {
	MADE_FAULT=overflow measure overflow &&
		"$copse" report gpu-counters overflow.copse >got &&
		grep -q 'gpu.counters.overflow' got
}

beside_samples() {
	measure beside-samples --gpu-sampling=on &&
		"$copse" report gpu-counters beside-samples.copse >got &&
		grep -q 'gpu.counters.taken' got
}

unasked() {
	"$copse" run -q --force -o unasked.copse "$made" counted >out 2>err &&
		"$copse" report gpu-counters unasked.copse >got &&
		grep -q 'copse run --gpu-counters=on reads them' got
}

# In the middle of 30 launches; a shell reads it, and the program runs.
commands() {
	"$copse" export ncu all.copse >commands || return
	cat commands
	mkdir -p bin
	printf '#!/bin/sh\nprintf "%%s|" "$@"; echo\n' >bin/ncu
	chmod +x bin/ncu
	PATH=$PWD/bin:$PATH sh commands >got || return
	sort got | diff - /dev/fd/3 3<<-END
	--set|full|--kernel-name|regex:^alpha\$|--launch-skip|15|--launch-count|3|-f|-o|alpha|$made|counted|
	--set|full|--kernel-name|regex:^beta\$|--launch-skip|15|--launch-count|3|-f|-o|beta|$made|counted|
	END
}

# Everything that works by metrics has them.
one_tree() {
	"$copse" report hotspots all.copse -m gpu.tensor >got &&
		grep -q beta got &&
		"$copse" gate all.copse vs all.copse \
			--fail-if 'gpu.dram>10%' >got
}

point "shares of what the GPU can do" shares
point "bytes of its memory" bytes
point "what bounds each kernel" bounds
point "intervals of one kernel alone are told from others" parts
point "copies use no multiprocessor" copies
point "launch paths have them" paths
point "ranges have what is launched in them" ranges
point "of few intervals nothing is said" few
point "only administrators may" lost forbidden gpu.counters.forbidden
point "another tool has them" lost busy gpu.counters.taken
point "a GPU that cannot" lost unsupported gpu.counters.unsupported
point "what fits into a pass" passes
point "a full buffer is said" overflow
point "not beside samples of kernels" beside_samples
point "who did not ask is told how" unasked
point "hot spots and gates have them" one_tree
point "commands of Nsight Compute" commands
points_done
