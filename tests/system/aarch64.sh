#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# aarch64.sh - the collector for aarch64: built here, run by qemu-user, its
# profiles read by this machine's copse.  Needs gcc-aarch64-linux-gnu and
# qemu-user-static; all of copse in an emulated Debian: decisions/aarch64.md.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

compiler=aarch64-linux-gnu-gcc
emulator=qemu-aarch64-static
root=/usr/aarch64-linux-gnu
arm=$scratch/arm

# Without libraries for it there is no ./configure: it is this one's answers.
configured() {
	mkdir "$arm" &&
		sed -e "s|^srcdir=.*|srcdir='$srcdir'|" \
			-e "/^S\\[\"srcdir\"\\]/s|=.*|=\"$srcdir\"|" \
			-e '/^S\["\(X86_64_TRUE\|AARCH64_FALSE\)"\]/s/=.*/="#"/' \
			-e '/^S\["\(X86_64_FALSE\|AARCH64_TRUE\)"\]/s/=.*/=""/' \
			-e "/^S\\[\"CC\"\\]/s/=.*/=\"$compiler\"/" \
			-e '/^S\["\(AR\|RANLIB\)"\]/s/="/="aarch64-linux-gnu-/' \
			-e '/^S\["CFLAGS"\]/s/=.*/="-g -O1 -Wno-error"/' \
			-e '/^S\["\(HDF5\|UNWIND\)_CFLAGS"\]/s/=.*/=""/' \
			"$builddir/config.status" >"$arm/config.status" &&
		(cd "$arm" && sh ./config.status) >/dev/null
}

built() {
	unset MAKEFLAGS MAKELEVEL
	units='main chunk history moments restart safe-read spans thread
		ticks tree'
	# shellcheck disable=SC2046,SC2086 # lists of words
	make -C "$arm" -j2 src/collect/sources.inc libcopse.so libcollect.a liblive.a libbase.a \
		$(printf 'tests/unit/unit-%s.o ' $units) \
		>"$scratch/make" 2>&1 || { tail -n 20 "$scratch/make"; return 1; }
	cd "$arm" && $compiler -o unit tests/unit/unit-*.o libcollect.a \
		liblive.a libbase.a
}

has_tools() {
	for tool in $compiler aarch64-linux-gnu-g++ $emulator; do
		command -v $tool >/dev/null || {
			echo "no $tool here"
			return 1
		}
	done
}

emulated() {
	$emulator -L $root "$@"
}

units_pass() {
	srcdir=$srcdir emulated "$arm/unit" >"$scratch/said"
	status=$?
	grep -v '^ok' "$scratch/said"
	return $status
}

# measured OPTION… -- PROGRAM…: the shell is there since an emulator is linked
# statically, so that copse run would not begin.
measured() {
	options=
	while [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	shift
	# shellcheck disable=SC2086,SC2016 # options are words; $@ is the shell's
	timeout 100 "$copse" run --quiet --no-report --force --budget 0 \
		-o "$scratch/profile" $options sh -c '"$@"' sh $emulator \
		-L $root -E "LD_PRELOAD=$arm/libcopse.so" "$@"
}

compiled() {
	$compiler -std=gnu11 -O2 -g -I"$srcdir" -o "$arm/shares" \
		"$srcdir/tests/programs/shares.c" -pthread
	from=$srcdir/tests/programs
	flags='-std=gnu11 -O2 -g -fomit-frame-pointer'
	# shellcheck disable=SC2086 # a list of words
	$compiler $flags -DFUNCTION=t_library -DINNER=t_inner -shared -fPIC \
		-o "$arm/chains-plain.so" "$from/chains-lib.c" &&
		$compiler $flags -DFUNCTION=t_stripped -DINNER=t_nameless \
			-shared -fPIC -s -o "$arm/chains-stripped.so" \
			"$from/chains-lib.c" &&
		$compiler $flags -c -o "$arm/chains.o" "$from/chains.c" &&
		aarch64-linux-gnu-g++ -O2 -g -fomit-frame-pointer -rdynamic \
			-Wl,-rpath,"$arm" -o "$arm/chains" "$arm/chains.o" \
			"$from/chains-cxx.cc" "$arm/chains-plain.so" \
			"$arm/chains-stripped.so" -pthread
}

# Functions with 10, 20, 30 and 40 %: within six points, four deviations of
# what some 1,000 samples tell.
shares_are_true() {
	measured -e cpu@1000 -- "$arm/shares" 4 >/dev/null || return
	"$copse" report hotspots -f csv "$scratch/profile" >"$scratch/rows"
	awk -F, 'BEGIN { want["ten"] = 10; want["twenty"] = 20
			want["thirty"] = 30; want["forty"] = 40 }
		NR == 1 { for (i = 1; i <= NF; i++)
				if ($i ~ /^inclusive/) { column = i; break } }
		$1 in want { seconds[$1] = $column; sum += $column }
		END { for (name in want) {
			share = sum ? 100 * seconds[name] / sum : 0
			print name, share
			if (share < want[name] - 6 || share > want[name] + 6)
				bad = 1
		} exit bad }' "$scratch/rows"
}

paths_are_true() {
	measured --depth 1024 -e cpu@5000 -- "$arm/chains" 3 >"$scratch/paths" ||
		return
	"$copse" report tree -m samples -f folded "$scratch/profile" |
		awk -v had_file="$scratch/paths" '
		BEGIN { while ((getline line <had_file) > 0) {
			split(line, word, " ")
			had[word[2]] = 1
		} }
		{
			samples = $NF
			sub(/ [0-9]+$/, "")
			if (/^partial\./) { cut += samples; print; next }
			count = split($0, frame, ";")
			path = ""
			for (i = 1; i <= count; i++) {
				name = frame[i]
				sub(/^.*chains-stripped\.so\+0x.*/, "t_nameless", name)
				sub(/^.*~/, "", name)
				if (name ~ /^t_/ && name !~ /@plt$|::/)
					path = path (path == "" ? "" : ";") name
			}
			if (path == "")
				next
			all += samples
			if (!(path in had)) { print "never was: " path; bad = 1 }
		}
		END {
			print all + 0 " samples, " cut + 0 " cut"
			exit bad || all < 100 || cut > all / 100
		}'
}

if ! reason=$(has_tools); then
	point "the collector for aarch64" skip "$reason"
	points_done
fi
point "configured" configured
point "the collector is built" built
point "unit tests pass" units_pass
point "programs are built" compiled
point "shares are true" shares_are_true
point "call paths are true" paths_are_true
points_done
