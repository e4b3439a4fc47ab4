# SPDX-License-Identifier: BSD-3-Clause
# wrap.awk - one wrapper for each line of functions.tbl; POSIX awk.
#
# It knows two things about MPI: a parameter of type MPI_Comm names the
# communicator, and a row that asks for status_bytes(status) needs a status.

# The names of the parameters, as arguments; sets comm to the communicator's.
function arguments(list,    n, i, p, names)
{
	comm = ""
	names = ""
	n = split(list, p, /, */)
	for (i = 1; i <= n; i++) {
		sub(/(\[[0-9]*\])+$/, "", p[i])
		if (p[i] ~ /^MPI_Comm [a-z]/ && comm == "")
			comm = substr(p[i], 10)
		sub(/.*[ *]/, "", p[i])
		names = names (i > 1 ? ", " : "") p[i]
	}
	return names == "void" ? "" : names
}

function guard(since,    v)
{
	split(since, v, ".")
	return since == "mpi1" ? "MPI_HAS_MPI1" : "MPI_HAS(" v[1] ", " v[2] ")"
}

/^#/ || NF == 0 || $1 == "skip" || $3 == "hand" { next }

{
	proto = $0
	for (i = 1; i <= 4; i++)
		sub(/^[^ \t]+[ \t]+/, "", proto)
	name = type = list = proto
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	type = substr(proto, 1, index(proto, name "(") - 1)
	list = substr(proto, index(proto, "(") + 1)
	sub(/\)$/, "", list)
	args = arguments(list)
	own = index($3 $4, "status_bytes(status)")
	counted = $3 != "0" || $4 != "0"

	print "\n#if " guard($2)
	print proto "\n{"
	print "\tstatic struct function me = FUNCTION(" name ", " toupper($1) ");"
	print "\t__typeof__(&" name ") next = next_of(&me);"
	print "\tstruct region_values values = { 0 };"
	print "\tstruct region region;"
	if (own)
		print "\tMPI_Status own = { 0 };"
	print "\t" type "rc;\n"
	print "\tif (!next)"
	print "\t\treturn ((__typeof__(next))next_uncounted(&me))(" args ");"
	print "\tregion_enter(&region, &me.region);"
	if (own)
		print "\tif (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own;"
	print "\trc = next(" args ");"
	if (counted || (comm != "" && $1 != "other")) {
		print "\tif (rc == MPI_SUCCESS && !region_is_nested(&region)) {"
		if (counted)
			print "\t\tvalues.sent = " $3 ";\n\t\tvalues.received = " $4 ";"
		if (comm != "" && $1 != "other")
			print "\t\tcomm_call(" comm ");"
		print "\t}"
	}
	print "\tcopse_region_leave(&region, &values);"
	print "\treturn rc;\n}\n#endif"
}
