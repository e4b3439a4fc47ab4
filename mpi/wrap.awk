# SPDX-License-Identifier: BSD-3-Clause
# wrap.awk - the wrapper of each C function of functions.tbl, after row.awk.
#
# It knows two things about MPI: a parameter of type MPI_Comm names the
# communicator, and a row that asks for status_bytes(status) needs a status.
#
# A function whose calls are more than counted has that in a function of its
# own, which is reached in three ways: from C; from Fortran, whose wrapper has
# entered the region already, by PMPI_Send or by MPI_Send.

# "before:…" and "after:…" are not bytes.
function part(column, word)
{
	return index(column, word ":") == 1 ? \
		substr(column, length(word) + 2) : ""
}

function bytes(column)
{
	return column ~ /^(before|after):/ ? "0" : column
}

function print_work(    own, before, after, sent, received)
{
	own = index($3 $4, "status_bytes(status)")
	before = part($3, "before")
	after = part($4, "after")
	sent = bytes($3)
	received = bytes($4)
	print "static inline " type "work_" name "(__typeof__(&" name ") next,"
	print "\t\tbool nested, struct region_values *values" \
		(args == "" ? ")" : ", " list ")") "\n{"
	if (own)
		print "\tMPI_Status own = { 0 };"
	print "\t" type "rc;\n\n\t(void)nested;\n\t(void)values;"
	if (before != "")
		print "\t" before ";"
	if (own)
		print "\tif (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own;"
	print "\trc = next(" args ");"
	if (after != "")
		print "\tif (rc == MPI_SUCCESS)\n\t\t" after ";"
	print "\tif (rc != MPI_SUCCESS || nested)\n\t\treturn rc;"
	if (sent != "0" || received != "0")
		print "\tvalues->sent = " sent ";\n\tvalues->received = " \
			received ";"
	if (comm != "" && $1 != "other")
		print "\tcomm_call(" comm ");"
	print "\treturn rc;\n}"
}

function print_head(symbol)
{
	print type symbol "(" list ")\n{"
	print "\t__typeof__(&" name ") next = gate_nexts[GATE_" symbol "];"
}

function print_from_fortran()
{
	print "\t\treturn work_" name "(next, fortran_call.nested,"
	print "\t\t\t\t&fortran_call.values" comma args ");"
}

function print_wrapper()
{
	print_head(name)
	print "\tstruct region_values values = { 0 };"
	print "\tstruct region region;\n\t" type "rc;\n"
	if (has_work) {
		print "\tif (fortran_reaches(ROW_" name "))"
		print_from_fortran()
	}
	print "\tregion_enter(&region, &gate_rows[ROW_" name "]);"
	if (has_work)
		print "\trc = work_" name "(next, region_is_nested(&region)," \
			"\n\t\t\t&values" comma args ");"
	else
		print "\trc = next(" args ");"
	print "\tcopse_region_leave(&region, &values);\n\treturn rc;\n}"
}

function print_reached()
{
	print_head("P" name)
	print "\n\tif (fortran_reaches(ROW_" name "))"
	print_from_fortran()
	print "\treturn next(" args ");\n}"
}

$3 == "hand" { next }

{
	comma = args == "" ? "" : ", "
	print "\n#if " condition
	if (has_work)
		print_work()
	print_wrapper()
	if (has_work)
		print_reached()
	print "#endif"
}
