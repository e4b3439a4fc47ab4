#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# moments.sh [MIB…] - what keeping a sample of copse run --trace takes in the
# handler while the memory fills and is thinned (moments.c), for each size of it,
# beside the store of a record as large.
sizes=("$@")
set --
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
src=$srcdir/src

machine
compile moments -D_GNU_SOURCE -I"$src" "$src/live/moments.c" \
	"$src/live/chunk.c" "$src/live/arena.c" "$builddir/libbase.a" ||
	exit 1
for mib in "${sizes[@]:-64}"; do
	"$scratch/moments" "$mib"
done
