#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# symbolise.sh - names are found in whatever form a compiler, a linker or a
# distribution leaves them: tests/programs/named.* built in many ways, with
# marks in the code whose functions and lines are known.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

names_of=$builddir/tests/names-of
export COPSE_CACHE=off
unset DEBUGINFOD_URLS
cd "$scratch" || exit 99

CC=${CC:-cc}
CXX=${CXX:-c++}
cp "$srcdir"/tests/programs/named.* .

# build NAME FLAG…: named.c becomes NAME, and NAME.marks has its marks.
build() {
	to=$1
	shift
	"$CC" -O2 -g -Wl,--build-id -o "$to" named.c -Wno-unknown-attributes \
		"$@" && marks_of "$to"
}

marks_of() {
	nm "$1" | awk '$3 ~ /^mark/ { print $1, $3 }' >"$1.marks"
	[ -s "$1.marks" ]
}

id_of() {
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}

# ask FILE MARKS [BUILD-ID]: MARK FUNCTION FILE:LINE KIND, by mark.  By its path,
# as profiles have it: a name without one has no debug information beside it.
ask() {
	cut -d ' ' -f 1 "$2" | "$names_of" "$PWD/$1" ${3:+"$3"} >answer 2>problem ||
		{ cat problem; return 1; }
	sed 's/ /=/g' answer | awk -v marks="$2" '
		BEGIN { while ((getline line <marks) > 0) {
			split(line, part, " ")
			sub(/^0*/, "0x", part[1])
			name[part[1]] = part[2]
		} }
		{ sub(/[^\t]*\//, "", $3); print name[$1], $2, $3, $4 }' |
		sort -s -k 1,1
}

# The line in a source file of a text that stands there once.
line_of() {
	grep -n -- "$2" "$1" | cut -d : -f 1 | head -n 1
}

# same: what was asked is what is on stdin.
same() {
	cat >want
	diff want is || { cat problem; return 1; }
}

# All of it: the inlined function, and the lines of both.
is_whole() {
	same <<-END
		mark inner named.c:$(line_of named.c INNER) inlined
		mark outer named.c:$(line_of named.c OUTER) named
		mark_plain plain named.c:$(line_of named.c mark_plain:) named
	END
}

# way FLAG…: named.c, built so.
way() {
	build way "$@" || skip "$CC does not know $*"
	ask way way.marks >is && is_whole
}

with_clang() {
	need clang
	CC=clang way "$@"
}

compressed() {
	objcopy --compress-debug-sections="$1" plain squeezed ||
		skip "objcopy does not know $1"
	readelf -SW squeezed | grep -q -e ' C ' -e zdebug || return
	ask squeezed plain.marks >is && is_whole
}

# libelf of Debian 12 does not know it.
compressed_by_zstd() {
	ldd "$names_of" | grep -q libzstd || skip "configured without libzstd"
	compressed zstd
}

# Two programs that have their common parts in a third file.
with_dwz() {
	need dwz
	cp plain one && cp plain two && dwz -m common.alt one two || return
	readelf -SW one | grep -q gnu_debugaltlink || return
	ask one plain.marks >is && is_whole || return
	rm common.alt
	ask one plain.marks >is # gone: what is left, and no crash
}

separate() {
	objcopy --only-keep-debug plain "$1" &&
		strip -o bare plain && objcopy --add-gnu-debuglink="$1" bare
}

by_link() {
	separate bare.debug && ask bare plain.marks >is && is_whole
}

by_link_in_debug() {
	mkdir .debug && separate bare.debug && mv bare.debug .debug/ &&
		ask bare plain.marks >is && is_whole
}

# Of another build: its checksum is not the one in the link.
by_link_of_another() {
	build other -DOTHER -Wl,--build-id=none -O1 &&
		build this -Wl,--build-id=none || return
	objcopy --only-keep-debug this this.debug &&
		strip -o thin this && objcopy --add-gnu-debuglink=this.debug thin
	objcopy --only-keep-debug other this.debug
	ask thin this.marks >is || return
	cat is
	! grep -q named.c is
}

# The tree that distributions use, where root may write it.
by_build_id() {
	[ -w /usr/lib ] || skip "this user may not write /usr/lib/debug"
	random=$(od -An -N 20 -tx1 /dev/urandom | tr -d ' \n')
	build unusual "-Wl,--build-id=0x$random" || return
	id=$(id_of unusual)
	folder=/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
	made=$(mkdir -p -v "$folder" | head -n 1)
	file=$folder/$(echo "$id" | cut -c 3-).debug
	objcopy --only-keep-debug unusual "$file" && strip -o thin unusual &&
		ask thin unusual.marks "$id" >is && is_whole
	rc=$?
	# Without the program itself as well.
	[ $rc = 0 ] && rm thin && ask thin unusual.marks "$id" >is && is_whole
	rc=$?
	rm -f "$file"
	[ -z "$made" ] || rmdir -p --ignore-fail-on-non-empty "$folder"
	return $rc
}

# A server here, with a folder that only it knows.
by_debuginfod() {
	need debuginfod curl
	mkdir -p served && build asked -DASKED=$$ || return
	id=$(id_of asked)
	mv asked served/ && strip -o asked served/asked
	port=$((20000 + $$ % 12000)) # below those that Linux gives to clients
	DEBUGINFOD_CACHE_PATH=$scratch/own debuginfod -p $port \
		-d "$scratch/debuginfod.db" -F served >server.log 2>&1 &
	server=$!
	export DEBUGINFOD_URLS="http://127.0.0.1:$port"
	export DEBUGINFOD_CACHE_PATH="$scratch/client"
	tries=0
	until curl -sf "$DEBUGINFOD_URLS/buildid/$id/debuginfo" >got; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || break
		sleep 0.3
	done
	ask asked asked.marks "$id" >is && is_whole && rm asked &&
		rm -rf client && ask asked asked.marks "$id" >is && is_whole
	rc=$?
	kill $server
	wait $server
	[ $rc = 0 ] || cat server.log
	return $rc
}

# A server that takes the question and says nothing, for a minute.
by_silent_debuginfod() {
	need python3
	build silent -DSILENT=$$ || return
	id=$(id_of silent)
	strip silent
	python3 -c 'import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
print(s.getsockname()[1], flush=True)
time.sleep(60)' >port &
	server=$!
	while ! [ -s port ]; do sleep 0.1; done
	before=$(date +%s)
	DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" COPSE_FETCH=2 \
		DEBUGINFOD_CACHE_PATH=$scratch/silent.cache \
		ask silent silent.marks "$id" >is
	rc=$?
	took=$(($(date +%s) - before))
	kill $server
	wait $server
	echo "took $took s"
	[ $rc = 0 ] && [ $took -ge 2 ] && [ $took -le 40 ]
}

split() {
	"$CC" -O2 -g "$@" -gsplit-dwarf -Wl,--build-id -o split named.c &&
		marks_of split || return
	ls ./*.dwo >/dev/null || return
	ask split split.marks >is && is_whole
}

# What is left, and a sentence about the rest.
split_without() {
	split -gdwarf-5 && rm ./*.dwo || return
	ask split split.marks >is || return
	cat problem
	same <<-END && grep -q 'one of which cannot be read' problem
		mark outer named.c:$(line_of named.c INNER) named
		mark_plain plain named.c:$(line_of named.c mark_plain:) named
	END
}

# packed PACKER COMPILER FLAG…: the same in one file beside the program, which
# libdw reads from 0.192 on; before, the inlined function is not shown, which
# is said.
packed() {
	packer=$1 compiler=$2
	shift 2
	need "$packer" "$compiler"
	rm -f ./*.dwo
	"$compiler" -O2 -g "$@" -gsplit-dwarf -Wl,--build-id -o pack named.c \
		-Wno-unknown-attributes && marks_of pack || return
	timeout -k 10 20 "$packer" -e pack -o pack.dwp ||
		skip "$packer cannot pack what $compiler wrote"
	rm ./*.dwo
	ask pack pack.marks >is || return
	is_whole && return
	grep -q 'one of which cannot be read' problem && same <<-END
		mark outer named.c:$(line_of named.c INNER) named
		mark_plain plain named.c:$(line_of named.c mark_plain:) named
	END
}

cxx() {
	"$CXX" -O2 -g -Wno-unknown-attributes -o cxx named.cc &&
		marks_of cxx && ask cxx cxx.marks | cut -d ' ' -f 1,2 >is || return
	same <<-END
		mark_constructor sim::Solver::Solver
		mark_hidden sim::(anonymous=namespace)::hidden
		mark_lambda main::{lambda(int)#1}::operator()
		mark_operator sim::Solver::operator()
		mark_template sim::Mesh<double>::smooth
	END
}

# Which mangling is the default depends on the version: both name it well.
rust_by_default() {
	rust 'named::sim::Mesh<T>::smooth' ||
		rust '<named::sim::Mesh<u32>>::smooth'
}

# rust METHOD FLAG…
rust() {
	method=$1
	shift
	need rustc
	rustc -O -g "$@" -o rust named.rs ||
		skip "rustc does not know $*"
	marks_of rust && ask rust rust.marks | cut -d ' ' -f 1,2 >is || return
	same <<-END
		mark_inlined named::sim::inlined
		mark_inlined <named::sim::Mesh<u32>=as=named::sim::Step>::step
		mark_method $method
		mark_trait <named::sim::Mesh<u32>=as=named::sim::Step>::step
	END
}

fortran() {
	need gfortran
	gfortran -O0 -fopenmp "$@" -o fortran named.f90 || return
	nm fortran | awk '$3 ~ /smooth|^inside|^bare/ {
		sub(/^_*/, "", $3); print $1, "mark_" $3 }' >fortran.marks
	ask fortran fortran.marks | cut -d ' ' -f 1,2 >is
}

fortran_with_debug() {
	fortran -g && same <<-END
		mark_bare_ bare
		mark_inside.0 mesh::smooth::inside
		mark_mesh_MOD_smooth mesh::smooth
		mark_mesh_MOD_smooth._omp_fn.0 mesh::smooth=[parallel]
		mark_mesh_MOD_smooth._omp_fn.1 mesh::smooth=[parallel=2]
	END
}

fortran_without() {
	fortran && same <<-END
		mark_bare_ bare_
		mark_inside.0 inside.0
		mark_mesh_MOD_smooth mesh::smooth
		mark_mesh_MOD_smooth._omp_fn.0 mesh::smooth=[parallel]
		mark_mesh_MOD_smooth._omp_fn.1 mesh::smooth=[parallel=2]
	END
}

#
# The cache: asked again, the answer must not need the file.
#
keep() {
	build kept -DKEPT=1 && id=$(id_of kept) && rm -rf cache &&
		COPSE_CACHE=$scratch/cache ask kept kept.marks "$id" >is &&
		is_whole && [ -s "cache/$id" ]
}

again() {
	COPSE_CACHE=$scratch/cache ask kept kept.marks "$id" >is
}

cache_is_used() {
	keep || return
	[ "$(stat -c %a cache)" = 700 ] && [ "$(stat -c %a "cache/$id")" = 600 ] ||
		return
	rm kept
	again && is_whole
}

cache_grows() {
	keep && grep plain kept.marks >/dev/null || return
	head -n 1 kept.marks >some
	rm -rf cache
	COPSE_CACHE=$scratch/cache ask kept some "$id" >is && again &&
		rm kept && again && is_whole
}

# The same build id, another program.
cache_of_another() {
	build kept -Wl,--build-id=0xa0112233445566778899aabbccddeeff00112233 &&
		id=a0112233445566778899aabbccddeeff00112233 && rm -rf cache && again && is_whole ||
		return
	sed 's/inner/unlike/g' named.c >unlike.c
	mv unlike.c named.c
	build kept -Wl,--build-id=0xa0112233445566778899aabbccddeeff00112233 && again
	rc=$?
	cp "$srcdir/tests/programs/named.c" .
	grep -q 'mark unlike' is && return $rc
	cat is
	return 1
}

# Every eighth byte changed, one at a time, and every length.
cache_is_foreign() {
	keep || return
	cp "cache/$id" good
	size=$(stat -c %s good)
	for at in $(seq 0 8 $((size - 1))) ; do
		cp good "cache/$id"
		printf '\377' | dd of="cache/$id" bs=1 seek="$at" conv=notrunc \
			status=none
		again && is_whole || { echo "byte $at"; return 1; }
	done
	for length in $(seq 0 40 $((size - 1))); do
		head -c "$length" good >"cache/$id"
		again && is_whole || { echo "length $length"; return 1; }
	done
	rm "cache/$id" && ln -s "$scratch/good" "cache/$id" && again && is_whole
}

# A folder that others may write is not used.
cache_of_others() {
	keep && chmod 777 cache && rm "cache/$id" && again && is_whole &&
		! [ -e "cache/$id" ]
}

cache_off() {
	rm -rf cache home && mkdir home && build kept || return
	id=$(id_of kept)
	HOME=$scratch/home XDG_CACHE_HOME='' COPSE_CACHE=off \
		ask kept kept.marks "$id" >is && is_whole &&
		! [ -e home/.cache ] || return
	unset COPSE_CACHE
	HOME=$scratch/home XDG_CACHE_HOME='' \
		ask kept kept.marks "$id" >is && is_whole &&
		[ -s "home/.cache/copse/$id" ] || return
	HOME=$scratch/home XDG_CACHE_HOME=$scratch/home/x \
		ask kept kept.marks "$id" >is && is_whole &&
		[ -s "home/x/copse/$id" ]
}

# 256 MiB, the oldest go first; what is not ours stays.
cache_is_bounded() {
	keep || return
	for i in 1 2 3 4 5; do
		truncate -s 60M "cache/00112233445566778899$i$i"
		touch -d "$i days ago" "cache/00112233445566778899$i$i"
	done
	truncate -s 300M cache/notes
	build kept -DKEPT=2 && id=$(id_of kept) && again && is_whole || return
	ls cache
	set -- cache/0011*
	[ $# = 3 ] && [ -e cache/notes ] &&
		[ -e "cache/$id" ] && [ -e cache/0011223344556677889911 ]
}

# profiled: into here.copse, with its names.
profiled() {
	cat >spins.c <<'C' && "$CC" -O1 -g -o spins spins.c || return
#include <time.h>
static volatile long turns;
__attribute__((noinline)) void spins_by_name(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		turns++;
}
int main(void)
{
	spins_by_name();
	return 0;
}
C
	rm -rf here.copse && "$copse" run -o here.copse ./spins &&
		"$copse" report hotspots here.copse | grep spins_by_name
}

# has_names DIR: elsewhere, where the program is not.
has_names() {
	mv spins spins.away
	"$copse" report hotspots "$1" >is 2>&1
	mv spins.away spins
	grep spins_by_name is || { cat is; return 1; }
}

# copied COMMAND…: that copies here.copse to there.
copied() {
	rm -rf there && mkdir there && profiled && "$@" && has_names there/here.copse
}

by_tar() {
	tar --format=gnu -cf - here.copse | tar -xf - -C there
}

# The rank's file comes later than the database, as scp and cp do it.
without_times() {
	cp here.copse/run.h5 there/ && sleep 0.1 && mkdir there/here.copse &&
		mv there/run.h5 there/here.copse &&
		cp here.copse/rank-0.h5 there/here.copse
}

# Merged where the names are not: said, and the database as it was.
merged_elsewhere() {
	copied without_times || return
	touch there/here.copse/rank-0.h5
	sum=$(cksum <there/here.copse/run.h5)
	mv spins spins.away
	"$copse" merge there/here.copse >is 2>&1
	rc=$?
	mv spins.away spins
	cat is
	[ $rc = 0 ] && grep 'run.h5: kept' is &&
		[ "$sum" = "$(cksum <there/here.copse/run.h5)" ]
}

merged_again() {
	copied without_times || return
	touch there/here.copse/rank-0.h5
	sum=$(stat -c %i there/here.copse/run.h5)
	"$copse" merge there/here.copse >is 2>&1 || { cat is; return 1; }
	! grep kept is && [ "$sum" != "$(stat -c %i there/here.copse/run.h5)" ]
}

# gone_meanwhile HOW: the program's file has gone while it ran, or another one
# has come in its place.
gone_meanwhile() {
	cat >gone.c <<'C'
#include <stdlib.h>
#include <time.h>
static __attribute__((noinline)) int hot_one(int seconds)
{
	while (clock() < seconds * CLOCKS_PER_SEC / 2)
		for (volatile int i = 0; i < 10000; i++)
			;
	return seconds;
}
int main(int argc, char **argv)
{
	return argc < 2 || system(argv[1]) || hot_one(1) != 1;
}
C
	"$CC" -O1 -g -Wl,--build-id -o gone gone.c && "$CC" -O2 -o other gone.c || return
	rm -rf gone.copse
	"$copse" run -o gone.copse ./gone "$1" >said 2>&1 || return
	cat said
	! grep -e offsets -e 'gone+0x' said && grep 'hot_one .*gone.c' said
}

point "as compilers write them" way
build plain || exit 99
cp plain.marks kept.marks
for version in 2 3 4 5; do
	[ $version = 2 ] || point "DWARF $version" way -gdwarf-$version
done
point "DWARF 5 of clang" with_clang -gdwarf-5
point "DWARF 4 of clang" with_clang -gdwarf-4
point "sections without addresses of their own (-ffunction-sections)" way \
	-ffunction-sections -Wl,--gc-sections
point "compressed by zlib" compressed zlib
point "compressed by zlib, as it was written before" compressed zlib-gnu
point "compressed by zstd" compressed_by_zstd
point "a common file of dwz" with_dwz
point "a separate file, by .gnu_debuglink" by_link
point "a separate file, in .debug" by_link_in_debug
point "a separate file of another build is refused" by_link_of_another
point "a separate file, by build id" by_build_id
point "from debuginfod" by_debuginfod
point "a debuginfod that does not answer" by_silent_debuginfod
point "split DWARF 5" split -gdwarf-5
point "split DWARF 4" split -gdwarf-4
point "split DWARF that is gone" split_without
point "split DWARF 5 in a .dwp" packed llvm-dwp clang -gdwarf-5
point "split DWARF 4 in a .dwp" packed dwp "$CC" -gdwarf-4
point "C++" cxx
point "Rust" rust_by_default
point "Rust, version 0" rust '<named::sim::Mesh<u32>>::smooth' \
	-C symbol-mangling-version=v0
point "Fortran" fortran_with_debug
point "Fortran without debug information" fortran_without
point "the cache answers without the program" cache_is_used
point "the cache grows" cache_grows
point "the cache does not answer for another program" cache_of_another
point "a damaged cache is as none" cache_is_foreign
point "a cache that others may write is not used" cache_of_others
point "no cache, and where it is" cache_off
point "the cache is bounded" cache_is_bounded
point "a program that is removed while it runs" gone_meanwhile "rm gone"
point "a program that is replaced while it runs" gone_meanwhile "mv other gone"
point "a profile that was copied by seconds keeps its names" copied by_tar
point "… without its times" copied without_times
point "a merge elsewhere leaves names as they are, and says so" merged_elsewhere
point "a merge that loses none is written" merged_again
points_done
