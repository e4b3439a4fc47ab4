# SPDX-License-Identifier: BSD-3-Clause
# wrap.awk - the wrapper of each C function of functions.tbl, after row.awk.
#
# What it knows of MPI: a parameter of type MPI_Comm names the communicator,
# `root` the root; a row that looks into status wants a status; one with the word
# `before` wants its requests as they were before the call; one with `gone` frees
# its window, and wants what was known of it.  A poll that was skipped, and
# whose answer is "not yet", is only counted.
#
# What is known of that communicator is `its` for the column `then`.
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

function print_values(sent, received, class)
{
	if (sent != "0" || received != "0")
		print "\t\tvalues.sent = " sent ";\n" \
		      "\t\tvalues.received = " received ";"
	if (comm != "" && class != "other")
		print "\t\tif (!its)\n\t\t\tits = comm_of(" comm ");\n" \
		      "\t\tvalues.comm = comm_call(its);"
	if (root != "" && class == "coll")
		print "\t\tvalues.root = root;"
}

# Whom it may wait for: `on` is a communicator, or a window.
function print_open(on)
{
	if (peer != "")
		print "\topen_call_with(region, " on ", LIVE_OPEN_" direction \
		      ", " peer ", " tag ");"
	else
		print "\topen_call_on(region, " on ");"
}

function print_open_handle()
{
	if (window != "")
		print_open("open_window_comm(handle_key(" window "))")
	else if (file != "")
		print_open("open_window_comm(window_file_key(" file "))")
}

function print_call(own, keeps, statuses)
{
	if (own)
		print "\tif (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own;"
	if (keeps)
		print "\trequests_take(&before, region, " count ", " requests \
		      ", " statuses ");\n" \
		      "\topen_call_of_requests(region, &before);"
	if (comm != "" && $1 != "other")
		print_open("its")
	else
		print_open_handle()
	if (part($2, "before") != "")
		print "\t" part($2, "before") ";"
	print "\trc = next(" args ");"
}

function print_pass(keeps)
{
	print "\tif (region->skipped && rc == MPI_SUCCESS && !(" answer ")) {"
	print "\t\tpoll_leave(region, " \
		(comm == "" || $1 == "other" ? "0" : \
		 "comm_call(its ? its : comm_of(" comm "))") ");"
	if (keeps)
		print "\t\trequests_give(&before, true, " requests ");"
	print "\t\treturn rc;\n\t}"
}

# What was made in a pause is known, too, and calls of all are counted.
function print_passed(    made)
{
	made = $4
	sub(/\),.*/, ")", made)
	if (made !~ /^made/ && $4 !~ /collective\(/)
		return
	print "\tif (rc == MPI_SUCCESS && region->paused_ns < 0) {"
	if (made ~ /^made/)
		print "\t\t" made ";"
	if ($4 ~ /collective\(/)
		print "\t\tcomm_passed(its ? its : comm_of(" comm "));\n" \
		      "\t} else if (rc == MPI_SUCCESS) {\n" \
		      "\t\tcomm_called_by_all(its ? its : comm_of(" comm "));"
	print "\t}"
}

function print_work(    own, keeps, statuses)
{
	own = ($3 $4) ~ /[(,]status\)/
	keeps = $4 ~ /[(,]before,/
	statuses = $4 ~ /[(,]array_of_statuses\)/ ? "&array_of_statuses" : "NULL"
	print "static inline int work_" name "(__typeof__(&" name ") next,"
	print "\t\tstruct region *region" comma list ")\n{"
	print "\tstruct region_values values = { .root = LIVE_NO_ROOT };"
	if (comm != "" && $1 != "other")
		print "\tstruct comm *its = comm_find(" comm ");"
	if (keeps)
		print "\tstruct before before;"
	if (own)
		print "\tMPI_Status own = { 0 };"
	if ($4 ~ /[(]gone[)]/)
		print "\tstruct comm gone = lifecycle_window_gone(win);"
	print "\tint rc;\n"
	print_call(own, keeps, statuses)
	if (answer != "") {
		print_pass(keeps)
		print "\tregion->in_vain = rc == MPI_SUCCESS && !(" answer ");"
	}
	print "\tif (region_stop(region) && rc == MPI_SUCCESS) {"
	print_values(bytes($2), bytes($3), $1)
	print "\t}"
	if (part($3, "after") != "")
		print "\tif (rc == MPI_SUCCESS)\n\t\t" part($3, "after") ";"
	print "\tcopse_region_leave(region, &values);"
	if ($4 != "-")
		print "\tif (region->call && rc == MPI_SUCCESS" \
			(answer == "" ? "" : " && " answer) ")\n\t\t" $4 ";"
	print_passed()
	if (keeps)
		print "\trequests_give(&before, rc == MPI_SUCCESS, " requests ");"
	print "\treturn rc;\n}"
}

function print_head(symbol)
{
	print type symbol "(" (list == "" ? "void" : list) ")\n{"
	print "\t__typeof__(&" name ") next = gate_nexts[GATE_" symbol "];"
}

function print_from_fortran()
{
	print "\tif (fortran_reaches(ROW_" name "))"
	print "\t\treturn fortran_done(work_" name \
		"(next, fortran_call.region" comma args "));"
}

function print_simple()
{
	print_head(name)
	print "\tstruct region entered, *region = &entered;\n\t" type "rc;\n"
	print "\tif (fortran_finishes())\n\t\treturn next(" args ");"
	print "\tregion_enter(&entered, &gate_rows[ROW_" name "]);"
	print_open_handle()
	print "\trc = next(" args ");"
	print "\tcopse_region_leave(region, &nothing);\n\treturn rc;\n}"
}

function print_working()
{
	print_head(name)
	print "\tstruct region region;\n"
	print_from_fortran()
	print "\tif (fortran_finishes())\n\t\treturn next(" args ");"
	print "\tregion_enter" (answer != "" ? "_poll" : "") \
		"(&region, &gate_rows[ROW_" name "]);"
	print "\treturn work_" name "(next, &region" comma args ");\n}"
	print_head("P" name)
	print ""
	print_from_fortran()
	print "\treturn next(" args ");\n}"
}

$2 == "hand" { next }

{
	comma = args == "" ? "" : ", "
	if (list == "void")
		list = ""
	print "\n#ifndef " name
	if (has_work) {
		print_work()
		print_working()
	} else {
		print_simple()
	}
	print "#endif"
}
