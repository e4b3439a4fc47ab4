#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# gpu-use.sh [ROUNDS] - what it costs to read what a GPU's parts are used for: a
# product of half-precision matrices at the power limit (PyTorch), in TFLOP/s and
# the clock of multiprocessors meanwhile, without, by NVML and by its counters.
#
#   SECONDS_EACH  of products, 9
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
rounds=${1:-4}
have python3 && have nvidia-smi || exit 77
cat >"$scratch/products.py" <<'P'
import sys, time, torch
m = torch.randn(8192, 8192, device="cuda").bfloat16()
o = torch.empty_like(m)
def products(seconds):
    torch.cuda.synchronize()
    start, count = time.time(), 0
    while time.time() - start < seconds:
        for _ in range(100):
            torch.mm(m, m, out=o)
        torch.cuda.synchronize()
        count += 100
    return count * 2 * 8192 ** 3 / (time.time() - start) / 1e12
products(1)
open(sys.argv[1], "w")
print("%.2f" % products(float(sys.argv[2])))
P

# under WORDS…: TFLOP/s, and the mean of five clocks while it measures.
under() {
	local clock=0 program

	rm -f "$scratch/begun"
	"$copse" run -q --force --no-report -o "$scratch/p.copse" "$@" \
		python3 "$scratch/products.py" "$scratch/begun" \
		"${SECONDS_EACH:-9}" >"$scratch/out" &
	program=$!
	until [ -e "$scratch/begun" ] || ! kill -0 $program; do sleep 0.1; done
	for _ in 1 2 3 4 5; do
		sleep 1
		clock=$((clock + $(nvidia-smi --query-gpu=clocks.sm \
			--format=csv,noheader,nounits | head -n 1)))
	done
	wait $program || exit
	echo "$(cat "$scratch/out") TFLOP/s, $((clock / 5)) MHz"
}

for round in $(seq "$rounds"); do
	echo "# round $round"
	echo "without: $(under --gpu-use=off)"
	echo "--gpu-use=on: $(under --gpu-use=on)"
	echo "--gpu-counters=on: $(under --gpu-use=off --gpu-counters=on)"
done
