#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# launch-ranks.sh - what torchrun, Horovod and JAX's scripts start are ranks, by
# the variables that these set, with copse behind the launcher and in front of it.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
unset PMIX_NAMESPACE PMIX_RANK PMI_RANK SLURM_STEP_ID OMPI_COMM_WORLD_RANK
cd "$scratch" || exit 99
command -v python3 >/dev/null || skip_all "no python3 here"

# Rank r works for r + 1 fifths of a second, and a child of it for a tenth.
cat >trainer.py <<'END'
import os
import sys
import time


def work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


rank = int(os.environ[sys.argv[1]])
child = os.fork()
work(0.1 if child == 0 else 0.2 * (rank + 1))
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
END

# A launcher: launch RANK SIZE MORE COMMAND…, MORE a variable of its own.
cat >launch <<'END'
rank=$1 size=$2 more=$3
shift 3
for i in 0 1 2; do
	env "$rank=$i" "$size=3" "$more" "$@" &
done
wait
END

# works DIRECTORY: 0, 1 and 2 are ranks, and each had its time.
works() {
	"$copse" report "$1" >said || return
	cat said
	grep -q '^3 ranks × 1 thread' said || return
	"$copse" report imbalance -m cpu.time -f csv "$1" |
		awk -v columns='function min mean max max_rank' \
			-f "$srcdir/tests/lib/csv.awk" | grep -w '^work' >work-times
	cat work-times
	awk 'function near(is, want) { return is > want - 0.05 && is < want + 0.05 }
		{ good += near($2, 0.2) && near($3, 0.4) && near($4, 0.6) && $5 == 2 }
		END { exit good != 1 }' work-times
}

torch() {
	sh ./launch RANK WORLD_SIZE MASTER_PORT=29500 \
		env MASTER_ADDR=localhost "$copse" run -q -o torch.copse \
		python3 trainer.py RANK || return
	works torch.copse
}

# Its shell is no rank, and not among them.
in_front() {
	"$copse" run -q -o front.copse sh ./launch RANK WORLD_SIZE \
		MASTER_PORT=29500 python3 trainer.py RANK || return
	works front.copse
}

horovod() {
	sh ./launch HOROVOD_RANK HOROVOD_SIZE \
		HOROVOD_GLOO_RENDEZVOUS_PORT=1234 "$copse" run -q -o hvd.copse \
		sh -c 'python3 trainer.py HOROVOD_RANK; true' || return
	works hvd.copse
}

# Shims: a shell that works for a while before it becomes the rank, and Python
# that does, as "poetry run" is.
cat >shim <<'END'
i=0
while [ $i -lt 60000 ]; do i=$((i + 1)); done
exec "$@"
END
cat >become.py <<'END'
import os
import sys
import time

while time.process_time() < 0.1:
    pass
os.execvp(sys.argv[1], sys.argv[1:])
END
shims() {
	sh ./launch RANK WORLD_SIZE MASTER_PORT=29500 \
		env MASTER_ADDR=localhost "$copse" run -q -o "$1.copse" \
		"$@" python3 trainer.py RANK || return
	works "$1.copse"
}

# As scripts set them for jax.distributed.
jax() {
	sh ./launch JAX_PROCESS_ID JAX_NUM_PROCESSES \
		JAX_COORDINATOR_ADDRESS=localhost:1234 \
		"$copse" run -q -o jax.copse python3 trainer.py \
		JAX_PROCESS_ID || return
	works jax.copse
}

# Variables of these names that are not a launcher's.
others() {
	RANK=1 WORLD_SIZE=3 "$copse" run -q -o others.copse \
		python3 trainer.py RANK || return
	"$copse" report others.copse >said
	cat said
	! grep -q 'rank' said
}

point "those of torchrun" torch
point "those of a launcher that is measured, too" in_front
point "those of Horovod, behind a shell" horovod
point "those behind a shim that is a shell" shims sh ./shim
point "and behind one in Python" shims python3 become.py
point "those of a script for JAX" jax
point "variables that nobody means" others
points_done
