# SPDX-License-Identifier: BSD-3-Clause
# row.awk - a line of functions.tbl taken apart; POSIX awk, read before one of
# the generators.
#
# Sets name, type, list (of parameters), args (their names), condition (of the
# preprocessor), has_work: a call that succeeded is more than counted; of the
# parameters comm, root, window, requests and count (of these), or ""; peer:
# the rank that it may wait for, direction, tag: of that; stem: what the
# names of its Fortran binding begin with, or "" when it has none, is_large: it
# is one with large counts, answer: of a poll, whose column `then` is left with
# what is noted when that is not 0.

function split_row(    i, proto)
{
	proto = $0
	for (i = 1; i <= 5; i++)
		sub(/^[^ \t]+[ \t]+/, "", proto)
	name = list = proto
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	split_then()
	type = substr(proto, 1, index(proto, name "(") - 1)
	list = substr(proto, index(proto, "(") + 1)
	sub(/\)$/, "", list)
	args = arguments(list)
	condition = guard($2)
	has_work = $3 != "hand" && ($3 != "0" || $4 != "0" || $5 != "-" || \
		answer != "" || (comm != "" && $1 != "other"))
	stem = proto ~ /MPI_Fint|MPI_F08/ ? "" : tolower(name)
	is_large = sub(/_c$/, "", stem)
}

function split_then(    at)
{
	answer = ""
	if ($5 !~ /^poll:/)
		return
	answer = substr($5, 6)
	at = index(answer, "?")
	$5 = at ? substr(answer, at + 1) : "-"
	if (at)
		answer = substr(answer, 1, at - 1)
}

# The parameters' names, as arguments; what is special among them is noted.
function arguments(list,    n, i, p, names)
{
	comm = root = requests = count = window = peer = direction = ""
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

# What mpi.h makes a macro of, no program calls.
function guard(since,    v)
{
	split(since, v, ".")
	return (since == "mpi1" ? "MPI_HAS_MPI1" : \
		"MPI_HAS(" v[1] ", " v[2] ")") " && !defined(" name ")"
}

/^#/ || NF == 0 || $1 == "skip" { next }

{ split_row() }
