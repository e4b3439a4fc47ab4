# SPDX-License-Identifier: BSD-3-Clause
# fill.awk - page.html with files in its places: a line <!--COPSE-WORD--> becomes
# the file that -v WORD= names, WORD in small letters.
function put(file,	line) {
	while ((getline line <file) > 0)
		print line
	close(file)
}
/^<!--COPSE-CSS-->$/ { put(css); next }
/^<!--COPSE-UNPACK-->$/ { put(unpack); next }
/^<!--COPSE-CODE-->$/ { put(code); next }
{ print }
