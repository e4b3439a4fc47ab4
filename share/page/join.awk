# SPDX-License-Identifier: BSD-3-Clause
# join.awk - the page of its sources: page.html, with page.css and the modules in
# its two places.  Modules become one script, in the order in which they are
# given: their imports and the word export go away, as do comments that take
# whole lines, and indentation.
#
#   awk -v css=page.css -v modules='dom.js main.js' -f join.awk page.html
function css_put(	line) {
	while ((getline line <css) > 0) {
		sub(/^[\t ]+/, "", line)
		if (line !~ /^\/\*.*\*\/$/)
			print line
	}
	close(css)
}

function module_put(file,	line, inside) {
	while ((got = (getline line <file)) > 0) {
		sub(/^[\t ]+/, "", line)
		if (line ~ /^import /)
			inside = 1
		if (!inside && line != "" && line !~ /^\/\//) {
			sub(/^export /, "", line)
			print line
		}
		if (inside && line ~ /;$/)
			inside = 0
	}
	if (got < 0) {
		print "join.awk: cannot read " file | "cat >&2"
		failed = 1
	}
	close(file)
}

/^<!--COPSE-CSS-->$/ { css_put(); next }
/^<!--COPSE-JS-->$/ {
	print "\"use strict\";"
	print "{"
	count = split(modules, list, " ")
	for (i = 1; i <= count; i++)
		module_put(list[i])
	print "}"
	next
}
{ print }
END { exit failed }
