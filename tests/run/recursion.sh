#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# recursion.sh - call paths that are far deeper than what a sample may walk have
# their root all the same, and the right one.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"
cd "$scratch" || exit 99
profile=$scratch/recursion.copse

# recursing DEPTH OPTION…: the paths as lines, in `folded`.  Walks of all frames
# of the deepest take longer than a short phase.
recursing() {
	deep=$1
	turn=$([ "$1" = 100000 ] && echo 0.2 || echo 0.02)
	shift
	rm -rf "$profile"
	"$copse" run -q -o "$profile" "$@" "$programs/recursion" "$deep" 2 "$turn" \
		>truth &&
		"$copse" report tree -m samples -f folded "$profile" >folded
}

# Nearly all have their root, and no leaf stands below the other one's phase.
has_roots() {
	recursing "$1" && after_run complete 0.99 &&
		rows 'name count' summary --table losses >losses || return
	cat losses
	grep joined.depth losses || return
	sed 's/;\([^;]*~\)*down;.*;/ … /' folded | cut -c 1-200 | head -n 20

	! grep -E 'first;.*;even|second;.*;odd' folded | cut -c 1-200 |
		grep . && grep -q 'recurse;.*joined.depth;.*;down;even' folded
}

# Half of the time is below each.
has_shares() {
	"$copse" report hotspots "$profile" -n 0 -f csv >csv &&
		awk -v columns='function exclusive' \
			-f "$srcdir/tests/lib/csv.awk" csv >found || return
	for leaf in odd even; do
		near "$(awk -v of=$leaf '$1 == of { print $2 }' found)" \
			"$(awk -v of=$leaf '$2 == of { print $3 }' truth)" 0.2 ||
			return
	done
}

# A walk of all frames finds those that are joined, in their order.
is_confirmed() {
	recursing "$@" --verify on -e cpu@2000 &&
		rows 'name count' summary --table losses >losses || return
	cat losses
	! grep verify.differs losses && grep joined.depth losses
}

for deep in 1000 10000 100000; do
	point "$deep deep" has_roots $deep
	point "$deep deep: what the leaves take" after_run has_shares
	point "$deep deep: confirmed" is_confirmed $deep
done
point "a small limit: confirmed" is_confirmed 1000 --depth 8
points_done
