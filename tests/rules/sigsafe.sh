#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# sigsafe.sh - what runs in a signal handler (SIGSAFE) reaches only other
# marked functions and the names in sigsafe.allow.
#
# It reads the relocations of .text.sigsafe in every object of the collector.
# Calls through pointers are not seen by it.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

objects=$(find src/arch src/base src/live src/collect -name '*.o' 2>/dev/null)

# Symbols that a marked function may refer to: marked ones, and data.
safe_symbols() {
	# shellcheck disable=SC2086 # a list of words
	objdump -t $objects | awk '
		$1 ~ /^[0-9a-f]+$/ && NF >= 5 {
			for (i = 2; i <= NF; i++)
				if ($i ~ /^\./ || $i == "*COM*")
					break
			if (i > NF || $i ~ /^\.text/ && $i != ".text.sigsafe")
				next
			print $NF
		}'
	sed 's/#.*//; s/[ 	]*$//; /^$/d' "$srcdir/tests/rules/sigsafe.allow"
}

# TYPE SYMBOL of each relocation of marked code.
relocations() {
	objdump -r -j .text.sigsafe "$1" 2>/dev/null |
		awk '$2 ~ /^R_X86_64/ {
			sub(/[-+]0x[0-9a-f]+$/, "", $3)
			print $2, $3
		}' | sort -u
}

reaches_only_safe_code() {
	relocations "$1" | awk -v object="$1" '
		NR == FNR { safe[$1] = 1; next }
		$1 ~ /TLSGD|TLSLD|TLSDESC/ {
			print object ": lazy thread-local storage: " $2
			bad = 1
			next
		}
		!($2 in safe) && $2 !~ /^\.(ro)?data|^\.t?bss|^\.tdata|^\.LC/ {
			print object ": reaches " $2
			bad = 1
		}
		END { exit bad }' "$scratch/safe" -
}

handler_is_marked() {
	[ -n "$objects" ] || { echo "no objects: build first"; return 1; }
	for object in $objects; do
		[ -z "$(relocations "$object")" ] || return 0
	done
	echo "no marked code found at all"
	return 1
}

safe_symbols 2>/dev/null | sort -u >"$scratch/safe"
point "there is marked code" handler_is_marked
for object in $objects; do
	[ -n "$(relocations "$object")" ] || continue
	point "$object" reaches_only_safe_code "$object"
done
# Flags of a distribution would put a call into each marked function.
user_flags_stand_before() {
	# -B would remake the Makefile for real, with these flags.
	from=$(sed -n 's/^srcdir = //p' "$builddir/Makefile")
	MAKEFLAGS='' MAKELEVEL='' make -n -W "$from/src/collect/sampling/sample.c" \
		-C "$builddir" CFLAGS='-O1 -fstack-protector-all' \
		src/collect/sampling/libcollect_a-sample.o >"$scratch/said" 2>&1
	line=$(grep -e '-c .*sample\.c' "$scratch/said" | tr ' ' '\n')
	echo "$line" | grep -e '^-O' -e '^-f'
	[ "$(echo "$line" | grep '^-O' | tail -n 1)" = -O1 ] &&
		[ "$(echo "$line" | grep stack-protector | tail -n 1)" = \
			-fno-stack-protector ]
}
point "a user's flags hold, but for what the handler needs" \
	user_flags_stand_before
points_done
