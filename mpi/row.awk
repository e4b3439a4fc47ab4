# SPDX-License-Identifier: BSD-3-Clause
# row.awk - a line of functions.tbl taken apart; POSIX awk, read before one of
# the generators, which get the prototypes of an mpi.h (prototypes.awk) before
# the table.  A function that this mpi.h lacks, or has with other parameters, is
# left out.
#
# Sets name, type, list (of parameters: the types of mpi.h, the names of the
# table), args (their names), has_work: a call that succeeded is more than
# counted; of the parameters comm, root, window, requests and count (of these),
# file (of collective calls, its address), or ""; peer: the rank that it may
# wait for, direction, tag: of that; stem: what
# the names of its Fortran binding begin with, or "" when it has none, is_large:
# it is one with large counts, answer: of a poll, whose column `then` is left
# with what is noted when that is not 0.

BEGIN {
	all_of_file = "_all|_ordered|_(close|preallocate|sync)$|" \
		"_set_(size|view|info|atomicity)$"
}

function split_row(    i, proto)
{
	proto = $0
	for (i = 1; i <= 4; i++)
		sub(/^[^ \t]+[ \t]+/, "", proto)
	name = list = proto
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	split_then()
	list = substr(proto, index(proto, "(") + 1)
	sub(/\)$/, "", list)
	args = arguments(list)
	list = (name in lists) ? declared_list(lists[name], args) : ""
	has_work = $2 != "hand" && ($2 != "0" || $3 != "0" || $4 != "-" || \
		answer != "" || (comm != "" && $1 != "other"))
	stem = proto ~ /MPI_Fint|MPI_F08/ ? "" : tolower(name)
	is_large = sub(/_c$/, "", stem)
}

function split_then(    at)
{
	answer = ""
	if ($4 !~ /^poll:/)
		return
	answer = substr($4, 6)
	at = index(answer, "?")
	$4 = at ? substr(answer, at + 1) : "-"
	if (at)
		answer = substr(answer, 1, at - 1)
}

# The parameters' names, as arguments; what is special among them is noted.
function arguments(list,    n, i, p, names)
{
	comm = root = requests = count = window = peer = direction = ""
	file = ""
	tag = "0"
	names = ""
	n = split(list, p, /, */)
	for (i = 1; i <= n; i++) {
		sub(/(\[[0-9]*\])+$/, "", p[i])
		if (p[i] ~ /^MPI_Comm [a-z]/ && comm == "")
			comm = substr(p[i], 10)
		if (p[i] == "int root")
			root = "root"
		if (p[i] == "MPI_Win win")
			window = "win"
		if (p[i] ~ /^MPI_File \*?fh$/ && name ~ all_of_file)
			file = p[i] ~ /\*/ ? "fh" : "&fh"
		if (p[i] ~ /^int (dest|source|root|rank)$/)
			meets(substr(p[i], 5))
		if (p[i] ~ /^int (|send|recv)tag$/)
			tag = substr(p[i], 5)
		if (p[i] ~ /^MPI_Request /)
			requests = p[i]
		if (p[i] ~ /^int (in)?count$/)
			count = substr(p[i], 5)
		sub(/.*[ *]/, "", p[i])
		names = names (i > 1 ? ", " : "") p[i]
	}
	sub(/.*[ *]/, "", requests)
	if (requests == "request")
		count = "1"
	return names == "void" ? "" : names
}

# Who receives what the call sends, too, is waited for as its source.
function meets(parameter)
{
	peer = parameter
	direction = parameter == "dest" ? "SEND" : \
		parameter == "source" ? "RECEIVE" : "CALL"
}

# Their types with our names; "": as many they are not.
function declared_list(theirs, ours,    n, i, t, o, brackets, all)
{
	n = split(theirs, t, /, */)
	if (n != split(ours, o, ", "))
		return n == 1 && theirs == "void" && ours == "" ? "void" : ""
	for (i = 1; i <= n; i++) {
		brackets = match(t[i], /(\[[0-9]*\])+$/) ? \
			substr(t[i], RSTART) : ""
		t[i] = substr(t[i], 1, length(t[i]) - length(brackets))
		sub(/[A-Za-z0-9_]+$/, "", t[i])
		all = all (i > 1 ? ", " : "") t[i] o[i] brackets
	}
	return all
}

NR == FNR {
	split($0, fields, "\t")
	types[fields[1]] = fields[2]
	lists[fields[1]] = fields[3]
	next
}

/^#/ || NF == 0 { next }

{ split_row() }

list != "" { known[name]; type = types[name] }

list == "" || $1 == "skip" { next }
