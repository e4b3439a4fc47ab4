# SPDX-License-Identifier: BSD-3-Clause
# wrap.awk - one wrapper for each line of functions.tbl; POSIX awk.
#
# What it knows of MPI: a parameter of type MPI_Comm names the communicator,
# `root` the root; a row that looks into status wants a status; one with the word
# `before` wants its requests as they were before the call.

# The parameters' names, as arguments; what is special among them is noted.
function arguments(list,    n, i, p, names)
{
	comm = root = requests = count = ""
	names = ""
	n = split(list, p, /, */)
	for (i = 1; i <= n; i++) {
		sub(/(\[[0-9]*\])+$/, "", p[i])
		if (p[i] ~ /^MPI_Comm [a-z]/ && comm == "")
			comm = substr(p[i], 10)
		if (p[i] == "int root")
			root = "root"
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

function guard(since,    v)
{
	split(since, v, ".")
	return since == "mpi1" ? "MPI_HAS_MPI1" : "MPI_HAS(" v[1] ", " v[2] ")"
}

function values(sent, received, class)
{
	if (sent != "0" || received != "0")
		print "\t\tvalues.sent = " sent ";\n" \
		      "\t\tvalues.received = " received ";"
	if (comm != "" && class != "other")
		print "\t\tvalues.comm = comm_call(comm_of(" comm "));"
	if (root != "" && class == "coll")
		print "\t\tvalues.root = root;"
}

/^#/ || NF == 0 || $1 == "skip" || $3 == "hand" { next }

{
	proto = $0
	for (i = 1; i <= 5; i++)
		sub(/^[^ \t]+[ \t]+/, "", proto)
	name = type = list = proto
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	type = substr(proto, 1, index(proto, name "(") - 1)
	list = substr(proto, index(proto, "(") + 1)
	sub(/\)$/, "", list)
	args = arguments(list)
	own = ($4 $5) ~ /[(,]status\)/
	before = $5 ~ /[(,]before,/
	statuses = $5 ~ /[(,]array_of_statuses\)/ ? "&array_of_statuses" : "NULL"

	print "\n#if " guard($2)
	print proto "\n{"
	print "\tstatic struct function me = FUNCTION(" name ", " toupper($1) ");"
	print "\t__typeof__(&" name ") next = next_of(&me);"
	print "\tstruct region_values values = { .root = LIVE_NO_ROOT };"
	print "\tstruct region region;"
	if (before)
		print "\tstruct before before;"
	if (own)
		print "\tMPI_Status own = { 0 };"
	print "\t" type "rc;\n"
	print "\tif (!next)"
	print "\t\treturn ((__typeof__(next))next_uncounted(&me))(" \
	      args ");"
	print "\tregion_enter(&region, &me.region);"
	if (own)
		print "\tif (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own;"
	if (before)
		print "\tbefore_take(&before, &region, " count ", " requests \
		      ", " statuses ");"
	print "\trc = next(" args ");"
	print "\tif (region_stop(&region) && rc == MPI_SUCCESS) {"
	values($3, $4, $1)
	print "\t}"
	print "\tcopse_region_leave(&region, &values);"
	if ($5 != "-")
		print "\tif (region.call && rc == MPI_SUCCESS)\n\t\t" $5 ";"
	if (before)
		print "\tbefore_give(&before, rc == MPI_SUCCESS, " requests ");"
	print "\treturn rc;\n}\n#endif"
}
