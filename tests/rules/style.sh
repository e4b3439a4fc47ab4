#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# style.sh - those rules of doc/style.md that a script can hold.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$srcdir" || exit 99

product() {
	find src tools mpi cuda openmp locks io heap nccl kokkos -name '*.[ch]' "$@" | sort
}

sources() {
	product "$@"
	find tests -name '*.[ch]' "$@" | sort
}

scripts() {
	echo bootstrap
	echo .ci/run
	find tests share -name '*.sh' 2>/dev/null
}

# each_says LINES EXPRESSION FILE…: awk's, of one of the first lines of each.
each_says() {
	lines=$1 expression=$2
	shift 2
	awk 'FNR == 1 {
			name = FILENAME
			sub(/.*\//, "", name)
			lacks[FILENAME]
		}
		FNR <= '"$lines"' && '"$expression"' { delete lacks[FILENAME] }
		FNR == '"$lines"' { nextfile }
		END {
			for (file in lacks) {
				print file ": no such line"
				bad = 1
			}
			exit bad
		}' "$@"
}

spdx_first() {
	# shellcheck disable=SC2046 # a list of words
	each_says 2 '/SPDX-License-Identifier/' $(sources; scripts
		find src mpi cuda openmp locks io heap nccl kokkos -name '*.def')
}

# The first comment of a header: "file.h - one sentence".
says_what_it_is() {
	# shellcheck disable=SC2046 # a list of words
	each_says 4 'index($0, name " - ")' $(sources -name '*.h')
}

short_functions() {
	# shellcheck disable=SC2046 # a list of words
	awk 'FNR == 1 { start = 0 }
		/^{/ { start = FNR }
		/^}/ && start {
			if (FNR - start + 1 > 60) {
				print FILENAME ":" start ": " \
					FNR - start + 1 " lines"
				bad = 1
			}
			start = 0
		}
		END { exit bad }' $(sources)
}

# Include guards are no conditions.
few_conditions() {
	# shellcheck disable=SC2046 # a list of words
	awk '{ lines++ }
		/^#[ ]*(if|ifdef|ifndef)/ && !/_H$/ {
			count++
			where = where "\n" FILENAME ":" FNR ": " $0
		}
		END {
			if (count * 1000 < lines * 3)
				exit 0
			print count " conditions in " lines " lines" where
			exit 1
		}' $(sources)
}

# A library decides nothing for the user: it does not end the process, and
# stdout belongs to the command.  (_exit in a child after fork is no exit.)
src_never() {
	grep -rnE --include='*.[ch]' "(^|[^a-z_>.])($1)[^a-zA-Z_]" src |
		grep -vE ':[0-9]+:[[:space:]]*(/?\*|//)' && return 1
	return 0
}

# Each version has a form of its own.
formatted() {
	need clang-format
	clang-format --version | grep -q 'version 14\.' ||
		skip "clang-format is not 14, of Debian 12"
	# shellcheck disable=SC2046 # a list of words
	clang-format --dry-run -Werror $(sources)
}

# sketch FILE: the variables that it sets and uses, for who sources it: shellcheck
# would take as long to read all of it, with each script again, as for the scripts.
sketch() {
	sed 's/^[	 ]*#.*//' "$1" >"$scratch/code"
	grep -A 1 '^# shellcheck source=tests' "$1"
	grep -oE '[A-Za-z_][A-Za-z0-9_]*=|read -r [a-z_ ]+' "$scratch/code" |
		sed 's/^read -r//; s/=//' | tr -s ' ' '\n' | sort -u |
		sed '/./s/$/=x/' | xargs echo export
	grep -oE '[$][{]?[A-Za-z_][A-Za-z0-9_]*' "$scratch/code" |
		tr -d '${' | sort -u | xargs echo export
}

checked_scripts() {
	need shellcheck
	shellcheck --version | grep -q 'version: 0\.[1-8]\.' &&
		skip "shellcheck is older than 0.9, of Debian 12"
	# shellcheck disable=SC2046 # a list of words
	sourced=$(sed -n 's/^# shellcheck source=tests/tests/p' $(scripts) |
		sort -u)
	# shellcheck disable=SC2046,SC2086 # lists of words
	shellcheck -S warning -x $sourced && mkdir "$scratch/checked" &&
		cp --parents $(scripts) "$scratch/checked" || return
	for file in $sourced; do
		{
			echo '# shellcheck shell=sh'
			sketch "$file"
		} >"$scratch/checked/$file"
	done
	scripts | grep -vxF "$sourced" | (cd "$scratch/checked" &&
		xargs shellcheck -S warning -x)
}

# awk counts bytes: a line of text that is not ASCII may look longer.
eighty_columns() {
	# shellcheck disable=SC2046 # a list of words
	expand $(sources) | LC_ALL=C.UTF-8 sed 's/[^ -~]/x/g' |
		awk 'length > 80' | grep . && return 1
	return 0
}

# Each processor has files of the same names.
one_name_one_file() {
	product | sed 's|^src/arch/.*/|src/arch/|' | sort -u |
		sed 's|.*/||' | sort | uniq -d | grep . && return 1
	return 0
}

# The first column stands in one file only.
in_one_file() {
	sort -u | awk '$1 in file {
			print $1 ": " file[$1] ", " $2
			bad = 1
		}
		{ file[$1] = $2 }
		END { exit bad }'
}

# "name file static" or "name file public" for each function.  A long type has a
# line before the name.  mpich.h, openmpi.h, abi.h are one: each adapter is built
# with its own.  So are the files of a topic in src/arch.
functions() {
	# shellcheck disable=SC2046 # a list of words
	awk 'FNR == 1 { type = "" }
		{
			line = type $0
			type = ""
			gsub(/__attribute__\(\(([^()]|\([^()]*\))*\)\) ?/, "", line)
		}
		sub(/^ORDER_[A-Z_]*BY\(/, "static int ", line) {
			sub(/,/, "(", line)
		}
		line !~ /^[A-Za-z_]/ || line ~ /^typedef / { next }
		line ~ /^[^=;({]*$/ { type = line " " }
		line ~ /^[^=;({]* \**[A-Za-z0-9_]+\(/ {
			kind = line ~ /(^|^[A-Z_]+ )static / ? "static" : "public"
			sub(/\(.*/, "", line)
			sub(/.*[^A-Za-z0-9_]/, "", line)
			file = FILENAME
			sub(/mpi\/(openmpi|abi)\.h/, "mpi/mpich.h", file)
			sub(/^src\/arch\/.*\//, "src/arch/", file)
			sub(/-inline\.h$/, ".h", file)
			print line, file, kind
		}' $(product)
}

# A backtrace tells where it is.
unique_functions() {
	functions >"$scratch/functions"
	grep ' static$' "$scratch/functions" | in_one_file || return
	awk '$3 == "public" { public[$1] = $2 }
		$3 == "static" { own[$1] = $2 }
		END {
			for (name in own)
				if (name in public) {
					print name ": " own[name] ", " public[name]
					bad = 1
				}
			exit bad
		}' "$scratch/functions"
}

two_words() {
	functions | awk '$3 == "static" && $2 ~ /c$/ && $1 !~ /[A-Z_]/ {
			print $2 ": " $1
			bad = 1
		} END { exit bad }'
}

# "path_text" is in paths.c or in a room of that name, "copse_path_text" too.
# Not what C libraries, CUDA or MPI call so, the words of functions.tbl, and
# errors, which read as a sentence: return fail(...).
begins_with_its_noun() {
	functions | awk '
		function begins(name, file,    n, i, word, w) {
			sub(/^copse_/, "", name)
			sub(/_.*/, "", name)
			if (file == "src/copse.h")
				return 1
			n = split(file, word, /[^a-z0-9]+/)
			for (i = 1; i < n; i++) {
				w = word[i]
				if (length(w) > 1 && (index(name, w) == 1 ||
				    index(w, name) == 1 ||
				    substr(w, 1, 5) == substr(name, 1, 5)))
					return 1
			}
			return 0
		}
		FILENAME != "-" { not_ours[$1]; next }
		$1 in not_ours || $1 ~ /^_|[A-Z]|^main$/ ||
		$1 ~ /^(fail|fail_reason|fail_step|no_memory)$/ ||
		$1 ~ /^(moves|status_bytes)$/ || $2 == "mpi/bytes.h" ||
		($3 == "static" && $2 !~ /h$/) { next }
		{ where[$1] = where[$1] " " $2 }
		begins($1, $2) { good[$1] }
		END {
			for (name in where)
				if (!(name in good)) {
					print name ":" where[name]
					bad = 1
				}
			exit bad
		}' src/collect/interposed.list io/interposed.list -
}

unique_structs() {
	# shellcheck disable=SC2046 # a list of words
	awk '/^[\t ]*((static|const|typedef) )*struct [A-Za-z0-9_]+ \{/ {
			sub(/ \{.*/, "")
			sub(/.* /, "")
			file = FILENAME
			sub(/^src\/arch\/.*\//, "src/arch/", file)
			print $0, file
		}' $(product) | in_one_file
}

# Else its line is glued to "not ok", and the point counts as missing.
said_in_lines() {
	half_a_line() {
		printf 'line\nhalf'
		return 1
	}
	scratch=$scratch/inside
	mkdir -p "$scratch"
	printf '# line\n# half\nnot ok 1 - wrong\n' >"$scratch/want"
	points=0
	point wrong half_a_line | diff "$scratch/want" -
}

# What is loaded into programs obeys no variable in one with more rights than its
# caller.  (PATH is the C library's own business: execvp looks at it, too.)
asks_securely() {
	grep -rnE --include='*.[ch]' '(^|[^_])getenv\(' src/collect \
		mpi cuda openmp locks io heap nccl kokkos |
		grep -v '"PATH"' && return 1
	return 0
}

# Twice without a cause is a fault.
no_flaky() {
	awk -F '\t' '!/^#/ && $4 == "" && ++seen[$2 FS $3] == 2 {
		print $2 ": " $3 " was tried again twice: mend it, or write its cause"
		bad = 1
	} END { exit bad }' tests/flaky.tbl
}

point "every file has its SPDX line" spdx_first
point "every header says what it is" says_what_it_is
point "no function is longer than 60 lines" short_functions
point "fewer than 3 conditions per 1000 lines" few_conditions
point "src never ends the process" src_never 'exit\(|abort\('
point "src never writes to stdout" src_never 'printf\(|puts\(|putchar\(|stdout'
point "what programs load asks with secure_getenv" asks_securely
point "clang-format changes nothing" formatted
point "lines end at 80 columns" eighty_columns
point "file names are unique" one_name_one_file
point "names of static functions are unique" unique_functions
point "names of structs are unique" unique_structs
point "names of static functions have two words" two_words
point "names of public functions begin with their noun" begins_with_its_noun
point "shellcheck finds nothing" checked_scripts
point "what a point says is in whole lines" said_in_lines
point "no test is tried again for no known cause" no_flaky
points_done
