# SPDX-License-Identifier: BSD-3-Clause
# unwrapped.awk - the functions of an mpi.h that functions.tbl does not have so,
# for copse check; after row.awk, -v mpi=openmpi or its like.
END {
	for (name in lists)
		if (!(name in known))
			print "{ \"" mpi "\", \"" name "\" }," | "sort"
}
