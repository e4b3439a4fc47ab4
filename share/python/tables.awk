# SPDX-License-Identifier: BSD-3-Clause
# tables.awk - the tables of run.h5 as the module tables.py, from the files that
# they are written by.  It runs behind doc/tables.awk, which reads their columns.
#
#   awk -v top=FOLDER -f doc/tables.awk -f tables.awk /dev/null	FOLDER: above src

# "name type name type …" of the rows of a man page.
function columns_of(record, text, line, word, n, i)
{
	n = split(rows[record], line, "\n")
	for (i = 1; i < n; i++) {
		split(line[i], word, " ")
		text = text " " word[3] " " (line[i] ~ /row of \/strings/ ? "string" : word[5])
	}
	return text
}

# The second word of each row, which is in quotes: the name of a kind.
function names_of(path, row, line, word, text)
{
	while ((getline line <(top "/src/run/" path)) > 0)
		if (line ~ "^" row "\\(" && split(line, word, "\""))
			text = text "\"" word[2] "\", "
	return text
}

function put_table(group, columns)
{
	sub(/^ /, "", columns)
	print "    \"" group "\": \"" columns "\","
}

END {
	print "# Made by tables.awk."
	print "KINDS = (" names_of("run-kinds.def", "KIND") ")"
	print "WAITS = (" names_of("waits.def", "WAIT") ")"
	print "PARTS = (" names_of("split.def", "PART") ")"
	print "TABLES = {"
	# Those that run-file.c and call-paths.c write by themselves.
	put_table("ranks", columns_of("run_rank"))
	put_table("cores", "count u64 key u64 waited_ns u64")
	put_table("parents", "ppid u32")
	put_table("openmp", columns_of("openmp"))
	put_table("family", "cpu_ns u64 start_ns u64 unsampled u64 failed u64 " \
		"user_ns u64 system_ns u64 faults u64 switches u64 own_ns u64 " \
		"io_read u64 io_written u64 stored_read u64 stored_written u64")
	put_table("jobs", columns_of("run_job"))
	put_table("nodes", columns_of("run_node") " path u32")
	put_table("paths", "parent u32 end u32 node u32")
	put_table("losses", columns_of("run_loss"))
	put_table("problems", columns_of("run_problem"))
	while ((getline line <(top "/src/run/run.def")) > 0)
		if (line ~ /^TABLE\(/ && split(line, word, "\""))
			put_table(word[2], columns_of(name_in(line, "(")))
	print "}"
}
