# SPDX-License-Identifier: BSD-3-Clause
# truths.awk OUTPUT FOUND - what a GPU program says of one TABLE and MEASURE, with
# what a report has of it.  OUTPUT has the lines of truths.h, of several ranks
# perhaps; FOUND, tab-separated, the columns of the name (NAMES of them), the path
# if PATHS is not 0, and the value.  COMBINE and OFF are those of truths.tbl.
# Prints a line for each; false when one is wrong, or there is none.

# Of one more value, 0 to begin with for sums.
function combined(sum, value, first) {
	if (first)
		return value
	if (combine == "min")
		return value < sum ? value : sum
	if (combine == "max")
		return value > sum ? value : sum
	return sum + value
}

# A function of that name, not of a longer one.
function on_path(path, wanted,    at, before, after) {
	if (wanted == "*")
		return 1
	for (; (at = index(path, wanted)) > 0;
	     path = substr(path, at + length(wanted))) {
		before = at > 1 ? substr(path, at - 1, 1) : ""
		after = substr(path, at + length(wanted), 1)
		if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/)
			return 1
	}
	return 0
}

function within(value, truth,    allowed) {
	if (off == "least")
		return value >= truth
	allowed = truth * off / 100
	return value - truth <= allowed && truth - value <= allowed
}

NR == FNR {
	n = split($0, word, " ")
	if ((word[1] == "truth" || word[1] == "measured") && n == 6 &&
	    word[2] == table && word[5] == measure) {
		key = word[3] SUBSEP word[4]
		if (!(key in truth))
			order[++keys] = key
		truth[key] = combined(truth[key], word[6] + 0, !(key in said))
		said[key] = 1
	}
	next
}

{
	n = split($0, field, "\t")
	name = field[1]
	sub(/\(.*/, "", name) # what a C++ function takes
	for (i = 2; i <= names; i++) {
		gsub(/^\[error [0-9]+ |\]$/, "", field[i])
		name = name "/" field[i]
	}
	path = paths ? field[names + 1] : ""
	for (k = 1; k <= keys; k++) {
		split(order[k], want, SUBSEP)
		if ((want[1] != "*" && want[1] != name) ||
		    (paths && !on_path(path, want[2])))
			continue
		found[order[k]] = combined(found[order[k]], field[n] + 0,
			!(order[k] in rows))
		rows[order[k]]++
	}
}

END {
	for (k = 1; k <= keys; k++) {
		split(order[k], want, SUBSEP)
		good = within(found[order[k]] + 0, truth[order[k]])
		printf "%s %s %s at %s: truth %.15g, found %.15g in %d rows%s\n",
			table, want[1], measure, want[2], truth[order[k]],
			found[order[k]], rows[order[k]], good ? "" : " - wrong"
		bad = bad || !good
	}
	if (!keys)
		print "no truth of " table " " measure
	exit bad || !keys
}
