# SPDX-License-Identifier: BSD-3-Clause
# waits.awk TRUTH FOUND - compares who made whom wait, as a report of waits has
# it, with what tests/programs/delays says.  TRUTH has its line `truth: …`;
# FOUND has tab-separated VICTIM, RANK, PATH, SECONDS: the call path that
# waited, the culprit and its call path, in the report's order.
#
# One line of KEY=VALUE: is the culprit right in the first row (`first`), the
# rank and its path; seconds found for that rank (found), of it on that path
# (there), in all of the program's iterations, and how far that is off, in per
# cent, from what the program measured (error) and from what it drew (drawn).
# Of a balanced program: the rank that most was blamed on, and the share that
# this is of the run time (blamed), next to what the program measured (own).

function value_of(key,    at) {
	for (at = 1; at <= words; at++)
		if (index(word[at], key "=") == 1)
			return substr(word[at], length(key) + 2)
	return ""
}

# Functions, the innermost first, with others in between at most.
function is_on(path, functions,    n, i, at, name) {
	n = split(functions, name, ",")
	for (i = 1; i <= n; i++) {
		if (!match(path, "(^|[^a-zA-Z0-9_])" name[i] "([^a-zA-Z0-9_]|$)"))
			return 0
		path = substr(path, RSTART + RLENGTH - 1)
	}
	return 1
}

function per_cent(is, of) {
	return of > 0 ? sprintf("%.1f", 100 * (is / of - 1)) : "-"
}

NR == FNR {
	if ($1 != "truth:")
		next
	words = split($0, word, " ")
	culprit = value_of("culprit_rank")
	where = value_of("culprit_path")
	next
}

{
	split($0, field, "\t")
	rows++
	if (rows == 1 && words) {
		first_rank = field[2] == culprit
		first = first_rank && is_on(field[3], where)
	}
	blamed[field[2]] += field[4]
	if (field[1] !~ /run_lane/ || field[2] != culprit)
		next
	found += field[4]
	if (is_on(field[3], where))
		there += field[4]
}

END {
	if (!words) {
		print "no truth"
		exit 1
	}
	worst = ""
	for (rank in blamed)
		if (worst == "" || blamed[rank] > blamed[worst])
			worst = rank
	all = value_of("run") * value_of("ranks")
	printf "pattern=%s how=%s first=%s rank=%s found=%.4f there=%.4f",
		value_of("pattern"), value_of("how"), first ? "yes" : "no",
		first_rank ? "yes" : "no", found, there
	printf " error=%s drawn=%s", per_cent(found, value_of("seconds")),
		per_cent(found, value_of("drawn"))
	printf " worst=%s blamed=%.2f own=%.2f seed=%s\n", worst,
		worst == "" ? 0 : 100 * blamed[worst] / all,
		100 * value_of("worst_seconds") / all, value_of("seed")
}
