# SPDX-License-Identifier: BSD-3-Clause
# declare.awk - the functions of functions.tbl that the standard binary interface
# has, declared for mpi/abi/mpi.h; POSIX awk.
BEGIN {
	others = " Address Attr_delete Attr_get Attr_put Errhandler_create " \
		"Errhandler_get Errhandler_set Keyval_create Keyval_free " \
		"Type_extent Type_hindexed Type_hvector Type_lb Type_struct " \
		"Type_ub Session_set_info "
}

/^#/ || NF == 0 || $1 == "skip" || /MPI_Fint|MPI_F08/ { next }

{
	for (i = 1; i <= 4; i++)
		sub(/^[^ \t]+[ \t]+/, "")
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]MPI_/, "", name)
}

!index(others, " " name " ") {
	print $0 ";"
	sub(" MPI_" name, " PMPI_" name)
	print $0 ";"
}
