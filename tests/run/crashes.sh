#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# crashes.sh - a program dies as it does without copse, and the report names
# the function and the line where it did.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99

# The line of the program that has these words.
line_of() {
	grep -n -F -m 1 -e "$1" "$srcdir/tests/programs/faults.c" | cut -d: -f1
}

# In one line, as sentences are wrapped.
summary_of() {
	"$copse" report "$1" >lines && tr -s '\n ' ' ' <lines >summary
}

# dies KIND TEXT WORDS: as without copse; the text is in the summary's sentence
# on its end, and the line that has the words.
dies() {
	"$programs/faults" "$1" >out 2>&1
	status=$?
	"$copse" run -q -o "$1.copse" "$programs/faults" "$1" >out 2>&1
	[ $? = $status ] && [ $status -gt 128 ] ||
		{ echo "its status was $status"; cat out; return 1; }
	summary_of "$1.copse" || return
	grep -Eq "was killed by signal .*\)$2 .*\(faults.c:$(line_of "$3")\)\." \
		summary || { cat summary; return 1; }
}

point "a store" dies store ' at address 0x10 in store ← main' \
	'nowhere[0x10] = 1'
point "a call to nowhere" dies call ' at address 0x0 in call ← main' \
	'(void))nowhere)()'
point "a division" dies divide ' in divide ← main' idivl
point "an instruction" dies illegal ' in illegal ← main' ud2
point "abort" dies abort ' in give_up ← main' 'abort();'
point "an assertion" dies assert ' in claim ← main' 'assert(nothing)'
point "a function of a library" dies copy \
	' at address 0x[0-9a-f]+ in (mem[a-z_0-9]* ← )?copy ← main' 'memcpy('
point "a file's end" dies map ' at address 0x[0-9a-f]+5 in map ← main' \
	'at[5] = 1'
point "another thread" dies thread ' at address 0x10 in store ← store_in_thread' \
	'nowhere[0x10] = 1'
point "after a handler of the program" dies handled ' in store ← main' \
	'nowhere[0x10] = 1'
point "a signal that had been blocked" dies blocked ' in blocked ← main' \
	'sigprocmask(SIG_UNBLOCK'

overflows() {
	"$copse" run -q -o deep.copse "$programs/faults" overflow >out 2>&1
	[ $? = 139 ] || { cat out; return 1; }
	summary_of deep.copse || return
	grep -Eq 'SIGSEGV\) at address 0x[0-9a-f]+ in deeper' summary ||
		{ cat summary; return 1; }
}
point "the end of the stack" overflows

is_killed_by() {
	"$copse" run -q -o sent.copse "$programs/faults" waits >out 2>&1 &
	parent=$!
	wait_for grep -q '^[0-9]' out || return
	sh -c 'echo $$ >killer; kill -s SEGV "$(cat out)"; wait'
	wait $parent
	[ $? = 139 ] || { cat out; return 1; }
	summary_of sent.copse || return
	grep -Eq "SIGSEGV\), sent by process $(cat killer), in waits ← main" \
		summary || { cat summary; return 1; }
}
point "a signal has a sender" is_killed_by

sees_the_same() {
	"$programs/faults" doors >without || return
	"$copse" run -q -o doors.copse "$programs/faults" doors >with || return
	diff without with
}
point "a program sees the actions that it has set" sees_the_same

children_die() {
	"$copse" run -q -o all.copse "$programs/faults" all 1 >out 2>&1 ||
		{ cat out; return 1; }
}
point "children die as they should" children_die
points_done
