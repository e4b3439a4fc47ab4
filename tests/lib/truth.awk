# SPDX-License-Identifier: BSD-3-Clause
# truth.awk TRUTHS FOUND - compares the shares of functions with those that a
# program says they have.  TRUTHS has its lines `truth NAME SECONDS`, of several
# ranks perhaps; FOUND has tab-separated NAME, VALUE and, if known, the ends of
# the confidence interval of its share.  A line for each function, in per cent,
# then `worst POINTS outside INTERVALS of FUNCTIONS`.

NR == FNR {
	split($0, word, " ")
	if (word[1] != "truth")
		next
	if (!(word[2] in truth))
		order[++names] = word[2]
	truth[word[2]] += word[3]
	all += word[3]
	next
}

{
	split($0, field, "\t")
	sub(/\(.*/, "", field[1])
	name = field[1]
	if (!(name in truth))
		next
	found[name] += field[2]
	sum += field[2]
	low[name] = field[3]
	high[name] = field[4]
}

END {
	for (i = 1; i <= names; i++) {
		name = order[i]
		t = truth[name] / all
		f = sum ? found[name] / sum : 0
		d = f > t ? f - t : t - f
		worst = d > worst ? d : worst
		if (high[name] != "" &&
		    (t < low[name] + 0 || t > high[name] + 0))
			outside++
		printf "%-12s truth %6.2f %%  found %6.2f %%\n", name,
			100 * t, 100 * f
	}
	if (!names)
		print "no truths"
	printf "worst %.3f outside %d of %d\n", 100 * worst, outside, names
}
