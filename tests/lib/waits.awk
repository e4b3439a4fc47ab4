# SPDX-License-Identifier: BSD-3-Clause
# waits.awk TRUTH FOUND - compares who made whom wait, as a report of waits has
# it, with what tests/programs/delays says.  TRUTH has its line `truth: …`;
# FOUND has tab-separated VICTIM, RANK, PATH, SAMPLED, SECONDS, INDIRECT: the call
# path that waited, the culprit, its call path and whether samples say so, and
# those of the seconds that were for somebody who waited himself, in the report's
# order.  Waits for somebody who waited himself count where lateness spreads, as
# the program sees it, and nowhere else.
#
# One line of KEY=VALUE:
#   first   is the culprit right in the first row: rank and path
#   rank    in the iterations most is blamed on the rank that others waited most
#           for by the program's own clock (or nearly as much as on another)
#   path    is the path right in the first row of this rank that samples say,
#           or, when the culprit slept, do not say
#   found   seconds for that rank in all of the iterations; there: on that path
#   error   how far `found` is off, in per cent, from what the program measured
#   drawn   the same, from what it drew
#   upset   how far what the program measured is off from what it drew
#   worst   the rank that most was blamed on, and what share of the run time
#           that is (blamed); own: the largest by the program's own clock

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
	return of + 0 > 0 ? sprintf("%.1f", 100 * (is / of - 1)) : "-"
}

NR == FNR {
	if ($1 != "truth:")
		next
	words = split($0, word, " ")
	culprit = value_of("culprit_rank")
	where = value_of("culprit_path")
	how = value_of("how")
	spreads = value_of("pattern") ~ /^(halo-wave|ring|worker|master)$/
	next
}

{
	split($0, field, "\t")
	right = field[2] == culprit
	on_path = is_on(field[3], where)
	if (++rows == 1)
		first = right && on_path ? "yes" : "no"
	if (field[1] !~ /run_lane/)
		next
	if (!spreads)
		field[5] -= field[6]
	blamed[field[2]] += field[5]
	if (!right)
		next
	if (path == "" && field[4] == (how == "busy"))
		path = on_path ? "yes" : "no"
	found += field[5]
	if (on_path)
		there += field[5]
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
	most = worst != "" && \
		blamed[value_of("worst_rank")] >= 0.8 * blamed[worst]
	printf "pattern=%s how=%s first=%s rank=%s path=%s found=%.4f there=%.4f",
		value_of("pattern"), how, first, most ? "yes" : "no", path,
		found, there
	printf " error=%s drawn=%s", per_cent(found, value_of("seconds")),
		per_cent(found, value_of("drawn"))
	printf " upset=%s", per_cent(value_of("seconds"), value_of("drawn"))
	printf " worst=%s blamed=%.2f own=%.2f seed=%s\n", worst,
		worst == "" ? 0 : 100 * blamed[worst] / all,
		100 * value_of("worst_seconds") / all, value_of("seed")
}
