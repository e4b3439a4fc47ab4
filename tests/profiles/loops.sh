#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# loops.sh - the loops of tests/programs/loops.c, which are known, are found in
# its machine code: every one, with its lines and its nest, and no other.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

names_of=$builddir/tests/names-of
source=$srcdir/tests/programs/loops.c
cd "$scratch" || exit 99
CC=${CC:-cc}

# What the source says: FUNCTION NEST…, loops as FIRST-LAST.
expected() {
	awk '{
		line = $0
		gsub(/[^A-Za-z0-9_{}>]+/, " ", line)
		n = split(line, word, " ")
		for (i = 1; i <= n; i++) {
			if (word[i] ~ /^[A-Z]+[{]$/)
				first[substr(word[i], 1, length(word[i]) - 1)] = NR
			if (word[i] ~ /^[}][A-Z]+$/)
				last[substr(word[i], 2)] = NR
		}
	}
	/\/\* EXPECT/ { want[++wants] = $0 }
	END {
		for (w = 1; w <= wants; w++) {
			n = split(want[w], word, " ")
			text = word[3]
			for (i = 4; i < n; i++) {
				k = split(word[i], nest, ">")
				text = text " "
				for (j = 1; j <= k; j++)
					text = text (j > 1 ? ">" : "") \
						first[nest[j]] "-" last[nest[j]]
			}
			print text
		}
	}' "$source"
}

# What is found: all instructions of each function are asked for.
found() {
	objdump -d --no-show-raw-insn loops |
		awk '/^[0-9a-f]+ <.*>:$/ { gsub(/[<>:]/, ""); at = $2 }
			/^ +[0-9a-f]+:/ { sub(/:/, "", $1); print $1, at }' \
			>instructions
	cut -d ' ' -f 1 instructions | "$names_of" loops >answers || return
	awk -F '\t' 'NR == FNR {
			split($0, part, " ")
			of["0x" part[1]] = part[2]
			next
		}
		$1 != address { address = $1; nest = "" }
		$4 == "loop" {
			sub(/.*:/, "", $3)
			nest = $3 (nest == "" ? "" : ">") nest
			all[address] = nest
		}
		END {
			for (a in all)
				print of[a], all[a]
		}' instructions answers | sort -u -k 1,1 -k 2,2V |
		awk '$1 != at { if (NR > 1) print text; text = at = $1 }
			{ text = text " " $2 }
			END { print text }'
}

build() {
	"$CC" -g "$@" -Wno-unknown-attributes -o loops "$source" &&
		expected >want && found >is
}

has_capstone() {
	ldd "$names_of" | grep -q capstone || skip "configured without capstone"
}

# function NAME: has exactly its nests.
function_is() {
	has_capstone
	grep "^$1\( \|$\)" want | tr ' ' '\n' | sort >one.want
	grep "^$1\( \|$\)" is | tr ' ' '\n' | sort >one.is
	[ -s one.want ] || { echo "no $1"; return 1; }
	[ -s one.is ] || echo "$1" >one.is
	diff one.want one.is
}

switched_off() {
	has_capstone
	COPSE_LOOPS=off "$names_of" loops <instructions >off || return
	! grep 'loop$' off
}

point "built with -O2" build -O2
expected >want
for name in $(cut -d ' ' -f 1 want); do
	point "$name" function_is "$name"
done
point "switched off" switched_off
points_done
