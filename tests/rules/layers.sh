#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layers.sh - includes look only up the pipeline, and a foreign header has one
# user; few files of a folder need each other.  This is the architecture in a few
# lines.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$srcdir" || exit 99

# FOLDER: what its files may include beside their own folder, whole folders or
# single files.  The tables of live are shared by all stages.
layers='
src/arch:     base/sigsafe.h
src/base:     arch
src/live:     base arch
src/collect:  base arch live
src/papi:     base
src/profile:  base live
src/launch:   base arch live profile
src/attach:   base arch live collect/unwind collect/python collect/registry.h launch
src/check:    base arch live launch profile/profile.h
src/symbol:   base arch profile
src/run:      base profile live/layout.h live/metrics.def live/losses.def
src/waits:    base profile run live/layout.h
src/merge:    base profile symbol run waits live/layout.h live/file.def live/metrics.def live/process.def live/thread.def live/device.def live/limits.def live/peer.def live/range.def live/shape.def live/unified.def live/footprint.def live/gpu-uses.def live/gpu-uses.h
src/analyse:  base run profile/profile.h live/layout.h live/copies.def live/memories.def live/range.def live/gpu-uses.def live/gpu-uses.h
src/format:   base run analyse profile/store/compress.h
mpi:          base arch live collect
cuda:         base arch live collect
openmp:       base arch live collect
locks:        base arch live collect
io:           base arch live collect
heap:         base arch live collect
nccl:         base live collect
kokkos:       base live collect
tools:        base live profile launch attach check symbol run merge analyse format
'

# Rooms inside a folder, in the same way; `.` are the files beside them.  Those
# of src/collect run in one process and need each other: see the circles below.
rooms='
src/profile/store:
src/profile/steps:     .
src/profile/live:      . steps
src/waits/timeline:    .
src/analyse/base:
src/analyse/paths:     base
src/analyse/split:     base paths
src/analyse/counters:  base paths
src/analyse/threads:   base paths split
src/analyse/io:        base paths
src/analyse/gpu:       base paths
src/analyse/mpi:       base paths split threads io gpu
src/analyse/ranks:     base paths split mpi
src/analyse/ends:      base paths mpi diagnose
src/analyse/time:      base paths split ranks
src/analyse/diagnose:  base paths split counters threads io gpu mpi ranks time
src/analyse/compare:   base paths split counters threads mpi diagnose ends
src/analyse/summary:   base paths split threads io gpu mpi ranks time diagnose compare ends
src/format/terminal:   .
src/format/page:       .
src/format/export:     .
'

# HEADER: the only files that may include it.
foreign='
hdf5.h:              src/profile/ src/run/
libdeflate.h isa-l/:   src/profile/
zlib.h:              src/profile/ src/format/export/gzip.c
otf2/:              src/format/
capstone/:           src/arch/flow.h src/arch/x86-64/ src/arch/aarch64/
zstd.h:              src/symbol/
elfutils/ dwarf.h libelf.h gelf.h: src/symbol/
mpi.h:               mpi/
cupti.h cuda.h nvtx3/:      cuda/
papi.h perfmon/:     src/papi/
microhttpd.h:        tools/
'

includes_of() {
	grep -rHoE --include='*.[ch]' '^#[ ]*include "[^"]*"' "$1" |
		sed 's/^\([^:]*\):.*"\(.*\)"/\1 \2/'
}

looks_up() {
	folder=$1
	shift
	bad=
	includes_of "$folder" >"$scratch/includes"
	while read -r file header; do
		case $header in
		*/*.inc | config.h | copse.h) continue ;;
		*-inline.h) [ "$folder" = src/arch ] && continue ;;
		esac
		for may in "${folder#src/}" "$@"; do
			case $header in
			"$may" | "$may"/*) continue 2 ;;
			esac
		done
		echo "$file includes \"$header\""
		bad=yes
	done <"$scratch/includes"
	[ -z "$bad" ]
}

has_one_user() {
	header=$1
	shift
	grep -rlE --include='*.[ch]' "^#[ ]*include <$header" src mpi cuda openmp \
		locks io heap nccl kokkos tools \
		>"$scratch/users"
	for may in "$@"; do
		grep -v "^$may" "$scratch/users" >"$scratch/rest"
		mv "$scratch/rest" "$scratch/users"
	done
	sed "s|\$| includes <$header>|" "$scratch/users"
	[ ! -s "$scratch/users" ]
}

echo "$layers" | grep : >"$scratch/layers"
while IFS=: read -r folder may; do
	[ -d "$folder" ] || continue
	# shellcheck disable=SC2086 # a list of words
	point "$folder looks only up the pipeline" looks_up "$folder" $may
done <"$scratch/layers"

# FOLDER MAY…: of its own folder's other rooms it includes only these.
keeps_to_rooms() {
	room=$1
	shift
	outer=${room%/*}
	for may in "$room" "$@"; do
		case $may in
		.) echo "${outer#src/}/[^/]*" ;;
		src/*) echo "${may#src/}/.*" ;;
		*) echo "${outer#src/}/$may/.*" ;;
		esac
	done >"$scratch/may"
	includes_of "$room" | grep " ${outer#src/}/" |
		grep -vE " ($(paste -sd '|' "$scratch/may"))\$" >"$scratch/bad"
	sed 's/\(.*\) \(.*\)/\1 includes "\2"/' "$scratch/bad"
	[ ! -s "$scratch/bad" ]
}

echo "$rooms" | grep : >"$scratch/rooms"
while IFS=: read -r folder may; do
	# shellcheck disable=SC2086 # a list of words
	point "$folder looks only up its rooms" keeps_to_rooms "$folder" $may
done <"$scratch/rooms"

echo "$foreign" | grep : >"$scratch/foreign"
while IFS=: read -r headers may; do
	for header in $headers; do
		# shellcheck disable=SC2086 # a list of words
		point "<$header> has one user" has_one_user "$header" $may
	done
done <"$scratch/foreign"

every_folder_has_a_rule() {
	for folder in src/*/; do
		grep -q "^${folder%/}:" "$scratch/layers" ||
			{ echo "$folder has no line in tests/rules/layers.sh"; return 1; }
	done
	for folder in src/profile/*/ src/analyse/*/ src/format/*/ src/waits/*/; do
		grep -q "^${folder%/}:" "$scratch/rooms" ||
			{ echo "$folder has no line in tests/rules/layers.sh"; return 1; }
	done
}

# What is different on another processor: registers, instructions, symbols of
# its ABI, numbers of system calls that not all have, pages and cache lines.
# Names for the linker are no instructions.
of_a_processor='__x86_64__|\<(REG_R[A-Z0-9]+|gregs?|greg_t|EM_X86_64)\>|R_X86_64|'
of_a_processor=$of_a_processor'rdtsc|rdpmc|x86intrin|_mm_|__builtin_ia32|'
of_a_processor=$of_a_processor'__aarch64__|\<EM_AARCH64\>|R_AARCH64|ARM64_INS|'
of_a_processor=$of_a_processor'\<(__)?asm(__)?( volatile)?\(|X86_INS|CS_ARCH|'
of_a_processor=$of_a_processor'"(ld-linux-x86|GLIBC_2\.[0-9])|@GLIBC_2[0-9.]*"\)|'
of_a_processor=$of_a_processor'sys[0-6]\(SYS_(open|access|readlink|unlink|stat)\>|'
of_a_processor=$of_a_processor'PAGE[A-Z_]* = 4096|[-/%&<>] *4096\>|& *~?4095|aligned\((64|4096)\)'

knows_no_processor() {
	grep -rnE --include='*.[ch]' "$of_a_processor" \
		src mpi cuda openmp locks io heap nccl kokkos tools | grep -v '^src/arch/' |
		grep -vE '__asm__\("([a-z0-9_]+"|\.symver )|__asm__ volatile\(""' &&
		return 1
	return 0
}

# A circle is a set of files each of which needs all others, directly or not.
circles_are_small() {
	find "$builddir/$1" -name '*.o' >"$scratch/objects"
	[ -s "$scratch/objects" ] || skip "not built"
	xargs nm -A <"$scratch/objects" |
		sed 's|^[^:]*/\(lib[a-z_]*_[as]o*-\)*||; s|\.o:| |' | awk '
		# The list of all names these; no file needs them.
		$(NF - 1) ~ /^[DR]$/ && $NF ~ /^(analysis|fact_set|command)_/ { next }
		$(NF - 1) ~ /^[TDBR]$/ { home[$NF] = $1 }
		$(NF - 1) == "U" { needs[$1, $NF] }
		{ files[$1] }
		END {
			for (pair in needs) {
				split(pair, of, SUBSEP)
				if (of[2] in home)
					reach[of[1], home[of[2]]] = 1
			}
			for (k in files)
				for (i in files)
					if ((i, k) in reach)
						for (j in files)
							if ((k, j) in reach)
								reach[i, j] = 1
			for (i in files) {
				circle = i
				size = 1
				for (j in files)
					if (j != i && (i, j) in reach && (j, i) in reach) {
						size++
						circle = circle " " j
					}
				if (size > 4) {
					print "a circle of " size ": " circle
					exit bad = 1
				}
			}
		}'
}
for folder in src/base src/live src/collect src/papi src/profile src/launch \
	src/attach src/check src/symbol src/run src/waits src/merge src/analyse src/format \
	mpi cuda openmp locks io heap nccl kokkos tools; do
	point "no circle of more than 4 files in $folder" \
		circles_are_small "$folder"
done
point "every folder has a rule" every_folder_has_a_rule
point "the processor is in src/arch only" knows_no_processor
points_done
