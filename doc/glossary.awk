# SPDX-License-Identifier: BSD-3-Clause
# glossary.awk - the entries of glossary.md as rows of a table for copse help:
# TERM("word", "text"), a row for each word in bold letters.

function plain(text) {
	gsub(/ *\(\[[^]]*\]\([^)]*\)\)/, "", text)	# (see that page)
	gsub(/\]\([^)]*\)/, "", text)
	gsub(/[`*[]/, "", text)
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return text
}

function put_entry(	text, rest, end) {
	text = plain(entry)
	for (rest = entry; match(rest, /\*\*[^*]+\*\*/); rest = substr(rest, end)) {
		end = RSTART + RLENGTH
		printf "TERM(\"%s\", \"%s\")\n",
			tolower(plain(substr(rest, RSTART, RLENGTH))), text
	}
	entry = ""
}

/^- \*\*/ { put_entry(); entry = substr($0, 3); next }
/^  / && entry != "" { sub(/^ */, ""); entry = entry " " $0; next }
{ put_entry() }
END { put_entry() }
