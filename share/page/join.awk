# SPDX-License-Identifier: BSD-3-Clause
# join.awk - modules as one script, in the order in which they are given: their
# imports, the word export and lines of comment go away.
BEGIN { print "\"use strict\";\n{" }
FNR == 1 { inside = 0 }
/^[\t ]*\/\// { next }
/^import / { inside = 1 }
!inside { sub(/^export /, ""); print }
inside && /;$/ { inside = 0 }
END { print "}" }
