# SPDX-License-Identifier: BSD-3-Clause
# gates.awk - the symbols that an adapter exports, for trampolines.h:
#
#     ROW(function, class, polls)      of functions.tbl; polls: true, it is one
#     GATE(symbol, function)           a C function, with its own wrapper
#     FORTRAN_GATE(symbol, function, (parameters), (arguments))
#                                      one of its Fortran binding
#     FORTRAN_HAND(symbol, function)   one in lifecycle.c
#     FORTRAN_ALIAS(symbol, gate, function)
#                                      with the wrapper of another gate
#
# After row.awk; -v mpi=openmpi, mpich, or abi, which has no bindings for Fortran.
# A program calls what its compiler makes of an external name; the module mpi_f08
# has names of the library's own.
# All arguments of Fortran are addresses, ierror is the last one; the lengths of
# strings follow, as numbers of the same size.
BEGIN {
	modern["openmpi"] = "_f08_"
	modern["mpich"] = "_f08_"
	large["mpich"] = "_f08_large_"
	# Functions with a buffer of any type, which comes with a descriptor.
	choice["mpich"] = "_f08ts_"
	large_choice["mpich"] = "_f08ts_large_"
	# The same in MPICH 4.2.
	newer_large["mpich"] = "_c_f08_"
	newer_large_choice["mpich"] = "_c_f08ts_"
	# Overloads for addresses of type(c_ptr).
	pointers["openmpi"] = "mpi_alloc_mem mpi_win_allocate " \
		"mpi_win_allocate_shared mpi_win_shared_query"
	pointers["mpich"] = pointers["openmpi"]
	# Where Fortran leaves out what only C has; with ierror.
	fewer["MPI_Init"] = 1
	fewer["MPI_Init_thread"] = 3
	fewer["MPI_Info_create_env"] = 2
}

function fortran_count(    n, p)
{
	if (name in fewer)
		return fewer[name]
	n = split(args, p, /, /) + 1
	return n + gsub(/char /, "&", list)
}

function sequence(n, before,    i, all)
{
	for (i = 1; i <= n; i++)
		all = all (i > 1 ? ", " : "") before i
	return all
}

function fortran_gate(symbol)
{
	if ($2 == "hand")
		print "FORTRAN_HAND(" symbol ", " name ")"
	else
		print "FORTRAN_GATE(" symbol ", " name ", (" \
			sequence(fortran_count(), "void *a") "), (" \
			sequence(fortran_count(), "a") "))"
}

# The manglings that compilers use.
function gates_plain(stem)
{
	fortran_gate(stem "_")
	print "FORTRAN_ALIAS(" stem "__, " stem "_, " name ")"
	print "FORTRAN_ALIAS(" stem ", " stem "_, " name ")"
	print "FORTRAN_ALIAS(" toupper(stem) ", " stem "_, " name ")"
}

function gates_modern(suffix, with_choice)
{
	if (suffix != "")
		fortran_gate(stem suffix)
	if (with_choice != "" && list ~ /void \*/)
		fortran_gate(stem with_choice)
}

{
	print "#ifndef " name " /* else no program calls it */"
	print "ROW(" name ", " toupper($1) ", " \
		(answer != "" ? "true" : "false") ")"
	print "GATE(" name ", " name ")"
	if (has_work)
		print "GATE(P" name ", " name ")"
	if (mpi == "abi") {
		# Fortran's are another library's, which calls C.
	} else if (stem != "" && is_large) {
		gates_modern(large[mpi], large_choice[mpi])
		gates_modern(newer_large[mpi], newer_large_choice[mpi])
	} else if (stem != "") {
		gates_plain(stem)
		gates_modern(modern[mpi], choice[mpi])
		if (index(" " pointers[mpi] " ", " " stem " "))
			gates_plain(stem "_cptr")
	}
	print "#endif"
}
