# SPDX-License-Identifier: BSD-3-Clause
# join.awk - modules as one script, in the order in which they are given: their
# imports, the word export, lines of comment and indents go away.
BEGIN { print "\"use strict\";\n{" }
FNR == 1 { inside = 0 }
/^[\t ]*\/\// { next }
/^import / { inside = 1 }
!inside { sub(/^(export |\t+)/, ""); print }
inside && /;$/ { inside = 0 }
END { print "}" }
