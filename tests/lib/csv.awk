# SPDX-License-Identifier: BSD-3-Clause
# csv.awk - the rows of a CSV as tab-separated values of the columns asked for:
#   awk -v columns='function exclusive' -f csv.awk FILE
# A column that is not there is an error.

function split_csv(line, to,    n, quoted, i, c, field) {
	n = quoted = 0
	field = ""
	for (i = 1; i <= length(line); i++) {
		c = substr(line, i, 1)
		if (c == "\"") {
			quoted = !quoted
		} else if (c == "," && !quoted) {
			to[++n] = field
			field = ""
		} else {
			field = field c
		}
	}
	to[++n] = field
	return n
}

# A text in quotes may go on in the next line.
{
	record = record $0
	if (gsub(/"/, "\"", record) % 2) {
		record = record "\n"
		next
	}
	$0 = record
	record = ""
}

!n {
	n = split_csv($0, head)
	for (i = 1; i <= n; i++)
		at[head[i]] = i
	wanted = split(columns, want, " ")
	for (i = 1; i <= wanted; i++)
		if (!(want[i] in at)) {
			print "no column " want[i] " in " $0 >"/dev/stderr"
			exit 1
		}
	next
}

{
	split_csv($0, field)
	line = field[at[want[1]]]
	for (i = 2; i <= wanted; i++)
		line = line "\t" field[at[want[i]]]
	print line
}
