# SPDX-License-Identifier: BSD-3-Clause
# prototypes.awk - of an mpi.h that went through the preprocessor, each function
# of MPI: its name, its type and its parameters, separated by tabs; POSIX awk.
function declaration(text,    type, list, at)
{
	gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "", text)
	gsub(/[ \t]+/, " ", text)
	sub(/^ *(extern )? */, "", text)
	if (text !~ /^[A-Za-z_][A-Za-z0-9_ *]*[ *]MPI_[A-Za-z0-9_]+ ?\(.*\) *$/ || \
	    text ~ /^typedef /)
		return
	at = index(text, "(")
	type = substr(text, 1, at - 1)
	list = substr(text, at + 1)
	sub(/ *\) *$/, "", list)
	sub(/ $/, "", type)
	at = match(type, /MPI_[A-Za-z0-9_]+$/)
	print substr(type, at) "\t" substr(type, 1, at - 1) "\t" list
	found++
}

{
	gsub(/"[^"]*"/, "")
	n = split(text $0 " ", statements, ";")
	for (i = 1; i < n; i++)
		declaration(statements[i])
	text = statements[n]
}

END { exit !found }
