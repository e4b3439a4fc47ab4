# SPDX-License-Identifier: BSD-3-Clause
# tables.awk - a line @RECORD@ of a man page becomes the list of that record's
# columns, as src/profile/profile.def and src/run/run.def have them, and a line
# @KINDS FILE@ the list of the kinds of nodes of that file of src.
#
#   awk -v top=FOLDER -f tables.awk PAGE.in		FOLDER: above src
BEGIN {
	types["int32_t"] = "i32"
	types["uint8_t"] = "u8"
	types["uint16_t"] = "u16"
	types["uint32_t"] = types["INDEX"] = types["ADDED_INDEX"] = "u32"
	types["uint64_t"] = "u64"
	types["double"] = "f64"
	types["char *"] = types["CHARS"] = "text"
	types["STRING"] = "string"
	table_read(top "/src/profile/profile.def")
	table_read(top "/src/run/run.def")
}

# The files of src/live that it includes have more of its rows.
function table_read(path, line, word)
{
	while ((getline line <path) > 0) {
		word = line
		sub(/\(.*/, "", word)
		if (line ~ /^#include "live/ && split(line, word_of, "\""))
			table_read(top "/src/" word_of[2])
		else if (line ~ /^#define [A-Z]*\(\.\.\.\)$/)
			left_out[substr(word, 9)] = 1
		else if (line ~ /^#undef/)
			delete left_out[substr(line, 8)]
		else if (word == "TABLE" || word == "RECORD")
			record = name_in(line, "(")
		else if (word ~ /^(COLUMN|ADDED|LOCAL|DERIVED|INDEX|ADDED_INDEX|CHARS|STRING)$/ &&
			 !(word in left_out))
			row_read(word, line)
	}
	close(path)
}

# What stands behind the first of that sign, up to a comma or the end.
function name_in(line, sign)
{
	line = substr(line, index(line, sign) + 1)
	sub(/^ */, "", line)
	sub(/[,)].*/, "", line)
	return line
}

function row_read(word, line, type, name, help)
{
	type = word in types ? word : name_in(line, "(")
	name = name_in(line, word == "STRING" ? "(" : ",")
	help = line
	sub(/^[^"]*"/, "", help)
	sub(/"[^"]*$/, "", help)
	gsub(/-[0-9]/, "\\\\&", help)
	rows[record] = rows[record] sprintf(".It Va %s Ta %s Ta \"%s\"\n",
		name, types[type], help)
	if (length(name) > length(widest[record]))
		widest[record] = name
}

# One sentence a line.
/^@KINDS .*@$/ {
	sub(/@$/, "", $2)
	print ".Bl -tag -width \"0\""
	for (number = 0; (getline line <(top "/src/" $2)) > 0;)
		if (line ~ /^(NODE|KIND)\(/) {
			sub(/^.*, "/, "", line)
			sub(/"\)$/, "", line)
			gsub(/\. /, ".\n", line)
			printf ".It %d\n%s\n", number++, line
		}
	print ".El"
	next
}
/^@.*@$/ {
	gsub(/@/, "")
	if (!($0 in rows)) {
		print FILENAME ": there is no table of " $0 >"/dev/stderr"
		exit 1
	}
	printf ".Bl -column \"%s\" \"string\" \"what it says\"\n%s.El\n",
		widest[$0], rows[$0]
	next
}
{ print }
