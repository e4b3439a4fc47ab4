#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kokkos.sh - kernels, regions and copies are called as a program with Kokkos
# calls them: the real library on the host, and one that is made, with CUDA.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
kokkos=/usr/include/trilinos
made=$builddir/tests/gpu/made-kokkos
unset KOKKOS_TOOLS_LIBS KOKKOS_PROFILE_LIBRARY

# columns ANALYSIS NAME TABLE COLUMNS
columns() {
	"$copse" report "$1" "$scratch/$2.copse" -n 0 -f csv --table "$3" \
		>"$scratch/csv" || return
	awk -v columns="$4" -f "$srcdir/tests/lib/csv.awk" "$scratch/csv"
}

made_cuda() {
	[ -e "$made" ] || skip "built without CUDA's headers"
	export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
	"$copse" run -q --force -o "$scratch/made.copse" "$made" || return
	columns gpu-kernels made kernels 'kernel seconds' | sort >"$scratch/got"
	cat "$scratch/got"
	[ "$(wc -l <"$scratch/got")" = 3 ] &&
		grep -qx 'Atoms::force	0.02' "$scratch/got" &&
		grep -qx 'alpha	0.007' "$scratch/got" &&
		grep -q '^Kokkos::Impl::cuda_parallel_launch_local_memory<.*	0.01$' \
			"$scratch/got"
}

# A row says the label as it is; a copy keeps its kind.
rows() {
	[ -d "$scratch/made.copse" ] || skip "there was no run"
	"$copse" report gpu-kernels "$scratch/made.copse" >"$scratch/got"
	cat "$scratch/got"
	grep -q '^  Atoms::force  ' "$scratch/got" &&
		grep -q 'Atoms::force ← parallel_for' "$scratch/got" || return
	[ "$(columns gpu-transfers made kinds bytes)" = 4096 ] || return
	columns gpu-kernels made ranges range | sort >"$scratch/got"
	diff - "$scratch/got" <<-END
	Atoms::force
	deep_copy of positions to mirror (Cuda to Host)
	timestep
	END
}

# The user's own tool stays, and none is named when that is off.
others() {
	export COPSE_CUPTI="$builddir/tests/gpu/libmade-cuda.so"
	KOKKOS_TOOLS_LIBS=/mine "$copse" run -q --force --no-report \
		-o "$scratch/own.copse" sh -c "echo \$KOKKOS_TOOLS_LIBS" \
		>"$scratch/got" && [ "$(cat "$scratch/got")" = /mine ] &&
		"$copse" run -q --force --no-report --kokkos=off \
			-o "$scratch/off.copse" sh -c "echo \$KOKKOS_TOOLS_LIBS" \
			>"$scratch/got" && [ -z "$(cat "$scratch/got")" ]
}

# Kokkos before 3.7 knows its tool by another variable.
build_real() {
	[ -e $kokkos/Kokkos_Core.hpp ] || skip "there is no Kokkos here"
	${CXX:-g++} -O2 -g -std=c++14 -isystem $kokkos -o "$scratch/real" \
		"$srcdir/tests/programs/kokkos.cc" -ltrilinos_kokkoscore -ldl
}

real() {
	build_real || return
	"$scratch/real" >"$scratch/want" || return
	KOKKOS_PROFILE_LIBRARY=$builddir/libcopse-kokkos.so \
		"$copse" run -q --force -o "$scratch/real.copse" \
		"$scratch/real" >"$scratch/got" || return
	diff "$scratch/want" "$scratch/got"
}

# In a phase are 0.04 s of ten steps, outside of labels 0.01; by CPU time.
shares() {
	[ -d "$scratch/real.copse" ] || skip "there was no run"
	columns hotspots real hotspots 'function inclusive' >"$scratch/got"
	grep -e Atoms -e timestep "$scratch/got"
	force=$(awk -F '\t' '$1 == "Atoms::force" { print $2 }' "$scratch/got")
	step=$(awk -F '\t' '$1 == "timestep" { print $2 }' "$scratch/got")
	[ -n "$force" ] && [ -n "$step" ] && near "$(awk -v f="$force" -v s="$step" 'BEGIN { print f / s }')" 0.8 0.1
}

point "kernels of a made CUDA have their labels" made_cuda
point "rows, copies and ranges" rows
point "another tool, and none" others
point "Kokkos itself: the same results" real
point "Kokkos itself: time by label" shares
points_done
