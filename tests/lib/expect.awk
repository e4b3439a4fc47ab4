# SPDX-License-Identifier: BSD-3-Clause
# expect.awk EXPECTED ACTUAL - compares CSV line by line, field by field.
# In what is expected: {LOW..HIGH} is a number in that range, {*} any text;
# both may be part of a field.  LOW and HIGH are sums, products and quotients of
# numbers and of what the program measured itself, in the file -v truths=FILE, `truth NAME
# VALUE`; of NAME[RANK] there are also NAME.mean, NAME.least and NAME.most, and
# NAME for all ranks together.  The first line names the columns that matter.
# A line "..." stands for any lines; "any order" above lets the lines stand in
# any order, with others between them.  "#" begins a comment.

# Splits a CSV line; a comma within quotes is no separator.
function split_csv(line, to,    n, quoted, i, c, field) {
	n = quoted = 0
	field = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"")
			quoted = !quoted
		if (c == "," && !quoted) {
			to[++n] = field
			field = ""
		} else {
			field = field c
		}
	}
	to[++n] = field
	return n
}

function read_truths(    line, word, name) {
	while ((getline line <truths) > 0) {
		if (split(line, word, " ") != 3 || word[1] != "truth")
			continue
		truth[word[2]] += word[3]
		name = word[2]
		if (!sub(/\[[0-9]+\]$/, "", name))
			continue
		truth[name] += word[3]
		if (!ranks[name]++ || word[3] < truth[name ".least"])
			truth[name ".least"] = word[3]
		if (word[3] + 0 > truth[name ".most"])
			truth[name ".most"] = word[3]
		truth[name ".mean"] = truth[name] / ranks[name]
	}
}

function number(text) {
	if (text ~ /^[0-9.]*$/)
		return text + 0
	if (!(text in truth))
		print "no truth '" text "'"
	return truth[text]
}

function product(text,    factor, part, n, m, i, k, of) {
	of = 1
	n = split(text, factor, "*")
	for (i = 1; i <= n; i++) {
		m = split(factor[i], part, "/")
		of *= number(part[1])
		for (k = 2; k <= m; k++)
			of /= number(part[k])
	}
	return of
}

function value(text,    term) {
	if (!match(text, /[-+][^-+]*$/))
		return product(text)
	term = product(substr(text, RSTART + 1))
	if (substr(text, RSTART, 1) == "-")
		term = -term
	return RSTART > 1 ? value(substr(text, 1, RSTART - 1)) + term : term
}

function in_range(token, text,    at) {
	at = index(token, "..")
	return text ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ &&
		text + 0 >= value(substr(token, 1, at - 1)) &&
		text + 0 <= value(substr(token, at + 2))
}

BEGIN {
	if (truths)
		read_truths()
}

function same_field(want, is,    open, close_, before, after, token, rest) {
	open = index(want, "{")
	close_ = index(want, "}")
	if (!open || close_ < open)
		return want == is
	before = substr(want, 1, open - 1)
	token = substr(want, open + 1, close_ - open - 1)
	after = substr(want, close_ + 1)
	rest = length(is) - length(before) - length(after)
	if (rest < 0 || substr(is, 1, length(before)) != before ||
	    substr(is, length(is) - length(after) + 1) != after)
		return 0
	return token == "*" ||
		in_range(token, substr(is, length(before) + 1, rest))
}

# Which columns of the report the expected ones are; false: not all are there.
function find_columns(want, is,    w, i, n, m, k, c) {
	n = split_csv(want, w)
	m = split_csv(is, i)
	for (k = 1; k <= n; k++) {
		for (c = 1; c <= m && w[k] != i[c]; c++)
			;
		if (c > m)
			return 0
		column[k] = c
	}
	columns = n
	return 1
}

function same_line(want, is,    w, i, n, k) {
	n = split_csv(want, w)
	if (n != columns)
		return 0
	split_csv(is, i)
	for (k = 1; k <= n; k++)
		if (!same_field(w[k], i[column[k]]))
			return 0
	return 1
}

NR == FNR {
	if ($0 == "any order")
		any_order = 1
	else if ($0 !~ /^#/)
		expected[++lines] = $0
	next
}

FNR == 1 && !find_columns(expected[1], $0) {
	print "expected columns: " expected[1]
	print "found:            " $0
	bad = 1
	exit 1
}

any_order {
	for (i = 1; i <= lines; i++)
		if (!(i in seen) && same_line(expected[i], $0)) {
			seen[i] = 1
			next
		}
	next
}

{
	if (expected[at + 1] == "...") {
		if (same_line(expected[at + 2], $0))
			at += 2
	} else if (at < lines && same_line(expected[at + 1], $0)) {
		at++
	} else {
		bad = 1
		print "expected: " (at < lines ? expected[at + 1] : "no more")
		print "found:    " $0
		exit 1
	}
}

END {
	for (i = 1; any_order && i <= lines; i++)
		if (!(i in seen)) {
			print "expected and not found: " expected[i]
			bad = 1
		}
	if (bad || any_order)
		exit bad
	if (at < lines && !(at + 1 == lines && expected[lines] == "...")) {
		print "expected and not found: " \
			expected[at + 1 + (expected[at + 1] == "...")]
		exit 1
	}
}
