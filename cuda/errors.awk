# SPDX-License-Identifier: BSD-3-Clause
# errors.awk - the enumerators of cudaError as ERROR(code, name) lines; false when
# the header has none.
{
	while (match($0, /cudaError[A-Za-z0-9]+ *= *[0-9]+/)) {
		split(substr($0, RSTART, RLENGTH), part, / *= */)
		printf "ERROR(%d, %s)\n", part[2], part[1]
		$0 = substr($0, RSTART + RLENGTH)
		n++
	}
}
END { exit n == 0 }
