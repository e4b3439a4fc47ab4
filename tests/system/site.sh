#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh - README, the pages of doc/ and the site that is made of them: README is
# short, links lead somewhere, what is said to be typed exists, the site builds.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
doc=$srcdir/doc

short_readme() {
	lines=$(wc -l <"$srcdir/README.md")
	echo "$lines lines"
	[ "$lines" -le 110 ] || return
	grep -o '\./bootstrap.*' "$srcdir/README.md" | awk '{ print $2 }' |
		sort >named
	"$srcdir/bootstrap" nothing 2>usage
	sed -n 's/^.*usage: .*\[\(.*\)\]$/\1/p' usage | tr '|' '\n' | sort >known
	diff named known
}

links() {
	need python3
	python3 "$doc/links.py" "$srcdir/README.md" "$srcdir/CONTRIBUTING.md" \
		"$doc"/*.md "$doc"/decisions/*.md "$srcdir"/tests/gpu/*.md
}

broken_links() {
	need python3
	cat >good.md <<-'END'
		# One heading: `x_y`, two
		[here](#one-heading-x_y-two), [there](other.md#another), `[no](link)`
	END
	echo '## Another' >other.md
	python3 "$doc/links.py" good.md || return
	echo '[no file](none.md) [no heading](other.md#none)' >bad.md
	python3 "$doc/links.py" good.md bad.md >said && return 1
	cat said
	[ "$(grep -c '^bad.md: .*\(none.md\|#none\): ' said)" = 2 ]
}

# Each `copse COMMAND`, its options up to the program, and each analysis.
commands() {
	need python3
	python3 - "$copse" "$srcdir/README.md" "$doc/cluster.md" \
		"$doc/reports.md" "$doc/install.md" "$doc/tutorial.md" \
		"$doc/bundle.md" "$doc/security.md" <<-'END'
		import re, subprocess, sys

		def says(*words):
		    return subprocess.run([sys.argv[1], *words], text=True,
		                          stdout=subprocess.PIPE,
		                          stderr=subprocess.STDOUT).stdout

		def rows(text):
		    return set(re.findall(r"^  ([a-z-]+) ", text, re.M))

		commands = rows(says("--help")) | {"help"}
		helps = {c: says(c, "--help") + " --help" for c in commands}
		analyses = rows(helps["report"])
		count = bad = 0
		for file in sys.argv[2:]:
		    text = open(file).read().replace("\\\n", " ")
		    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
		    text = re.sub(r"^```\w*\n.*?^```$", "", text, flags=re.M | re.S)
		    spans = [s.replace("\n", " ") for s in re.findall("`([^`]+)`", text)]
		    code = "\n".join(blocks + re.findall("^    (.*)", text, re.M) + spans)
		    for command, rest in re.findall(
		            r"(?<![\w/.-])copse ([a-z]+)\b([^\n|;&#]*)", code):
		        words, wrong = rest.split(), []
		        if command not in commands:
		            wrong = [command]
		            words = []
		        if command == "report" and words and \
		                re.fullmatch("[a-z-]+", words[0]) and \
		                words[0][0] != "-" and words[0] not in analyses:
		            wrong = [words[0]]
		        last = ""
		        for word in words:
		            if word[0] == "-" and word != "-":
		                name = re.escape(word.split("=")[0])
		                if not re.search(r"(^|[ ,])%s([ ,=]|$)" % name,
		                                 helps[command], re.M):
		                    wrong.append(word)
		            elif command == "run" and last[:1] != "-":
		                break
		            last = word
		        count += 1
		        if wrong:
		            bad += 1
		            print(f"{file}: copse {command}{rest}: {wrong}")
		print(f"{count} commands, {bad} of them wrong")
		sys.exit(bad > 0 or count < 120)
	END
}

# job_scripts FILE: each into a file of its own.
job_scripts() {
	awk '/^```bash$/ { on = 1; name = "job-" ++n ".sh"; next }
		/^```$/ { on = 0 } on { print >name }' "$1"
}

scripts_are_shell() {
	need bash
	job_scripts "$doc/cluster.md"
	[ "$(ls job-*.sh | wc -l)" -ge 8 ] || { ls; return 1; }
	for script in job-*.sh; do
		bash -n "$script" && grep -q 'copse run' "$script" ||
			{ cat "$script"; return 1; }
	done
}

site() {
	need mkdocs mandoc python3
	[ -d /usr/share/mkdocs/themes/material ] ||
		python3 -c 'import material' 2>/dev/null ||
		skip "no mkdocs-material here"
	mkdir doc && cp "$builddir"/doc/copse-*.[57] doc && ln -s "$copse" copse &&
		"$copse" run -q -o demo.copse "$programs/recursion" >said 2>&1 ||
		{ cat said; return 1; }
	"$doc/site.sh" "$srcdir" || return
	for page in index doc/cluster man/copse-run.1 man/copse-format.5 \
		doc/decisions/signal example/demo; do
		[ -s "site/$page.html" ] || { echo "no $page"; return 1; }
	done
	grep -q '<h2 id="KNOWN_LIMITS"' site/man/copse-run.1.html &&
		grep -q 'href="copse-report-waits.1.html"' site/man/copse-run.1.html &&
		grep -q 'search/offline.js' site/man/copse-run.1.html &&
		grep -q '"man/copse-run.1.html#KNOWN_LIMITS"' \
			site/search/offline.js || return
	rm site/man/copse-top.1.html
	! python3 "$doc/links.py" site >said && grep 'copse-top.1.html: ' said |
		tail -n 1
}

says_what_is_missing() {
	mkdir -p empty
	for tool in sh dirname basename; do
		ln -sf "$(command -v $tool)" empty
	done
	PATH=$scratch/empty "$doc/site.sh" "$srcdir" 2>said && return 1
	cat said
	grep 'apt-get install mkdocs.* mandoc' said && [ ! -e site.tmp ]
}

point "README is short, and has bootstrap's two commands" short_readme
point "links of README and of doc/ lead somewhere" links
point "a link that leads nowhere is found" broken_links
point "commands, options and analyses that are named exist" commands
point "job scripts of doc/cluster.md are shell" scripts_are_shell
point "the site says what it lacks" says_what_is_missing
point "the site builds, with man pages, a live page and a search" site
points_done
