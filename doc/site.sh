#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh SOURCE - a static site of the pages of doc/ and the man pages, in ./site,
# whose search needs no network and no server.  `make site` calls it.
#
# The profile that ./bootstrap demo leaves becomes a live page, if it is here.
set -eu
source=$(cd "$1" && pwd)
doc=$source/doc
made=$PWD/site.tmp
pages=$made/pages
theme=/usr/share/mkdocs/themes/material
export LC_ALL=C.UTF-8

missing=
command -v mkdocs >/dev/null || missing=' mkdocs'
[ -d $theme ] || python3 -c 'import material' 2>/dev/null ||
	missing="$missing mkdocs-material"
command -v mandoc >/dev/null || missing="$missing mandoc"
[ -z "$missing" ] || {
	echo "site: missing; as root: apt-get install$missing (Debian's names)" >&2
	exit 1
}

# man_page FILE: what mandoc writes, its headings as those of Markdown, which
# make the table of contents and the parts that the search finds.
man_page() {
	mandoc -T html -O "fragment,man=%N.%S.html;https://manpages.debian.org/%N.%S" \
		"$1" | awk -v page="$(basename "$1" | sed 's/\.\(.\)$/(\1)/')" '
		BEGIN { print "# " page "\n\n<div class=\"man\">" }
		/^<table class="(head|foot)">/ { skip = 1 }
		skip { if (/<\/table>/) skip = 0; next }
		/^<\/?section/ || /^<div class="manual-text">/ { next }
		/^<h[12] class="S[hs]"/ { heading = ""; on = 1 }
		on {
			heading = heading " " $0
			if (!/<\/h[12]>/)
				next
			on = 0
			id = heading
			sub(/.* id="/, "", id); sub(/".*/, "", id)
			mark = heading ~ /<h1/ ? "##" : "###"
			gsub(/<[^>]*>/, "", heading); gsub(/^ +/, "", heading)
			print "</div>\n\n" mark " " heading " {#" id "}\n\n<div class=\"man\">"
			next
		}
		{ print }'
}

# decisions: as the index of design.md groups them.
decisions() {
	sed -n '/^## Decisions/,$s/^\*\*\(.*\)\*\*$/    - "\1":/p
		/^## Decisions/,$s/^- \[\([^]]*\)\](decisions\/\([^)]*\)).*/      - "\1": doc\/decisions\/\2/p' \
		"$doc/design.md"
}

# man_entry INDENT FILE
man_entry() {
	name=${2##*/}
	name=${name%.md}
	echo "$1- \"$(echo "$name" | sed 's/\.\(.\)$/(\1)/')\": man/$name.md"
}

# man_entries: the pages of analyses are below that of their command.
man_entries() {
	for page in "$pages"/man/*.md; do
		case $page in
		*/copse-report-*) continue ;;
		*/copse-report.1.md)
			echo '    - "copse-report(1)":'
			echo '      - man/copse-report.1.md'
			for analysis in "$pages"/man/copse-report-*.md; do
				man_entry '      ' "$analysis"
			done
			;;
		*) man_entry '    ' "$page" ;;
		esac
	done
}

# contents: the tree of pages.
contents() {
	cat <<-END
		nav:
		  - Use:
		    - copse: README.md
		    - Installing: doc/install.md
		    - Tutorial: doc/tutorial.md
		    - What to ask: doc/reports.md
		    - Clusters: doc/cluster.md
	END
	[ ! -e "$pages/example.md" ] || echo '    - A live page: example.md'
	cat <<-END
		    - Python: doc/python.md
		    - Glossary: doc/glossary.md
		    - Performance: doc/performance.md
		    - Security: doc/security.md
		    - Bundle: doc/bundle.md
		    - Compatibility: doc/compatibility.md
		    - Launchers: doc/launchers.md
		    - News: NEWS.md
		  - Reference:
	END
	man_entries
	echo '  - Decisions:'
	echo '    - Design: doc/design.md'
	decisions
	cat <<-END
		  - Developing:
		    - Changing copse: CONTRIBUTING.md
		    - How to add …: doc/adding.md
		    - Style: doc/style.md
		    - Data of a page: doc/page-format.md
		    - Tests on GPUs: tests/gpu/on-device.md
	END
}

# The profile of the demo, as a page that runs in the browser.
example() {
	if [ ! -x ./copse ] || [ ! -d demo.copse ]; then
		echo "site: no demo.copse here, so no live page: ./bootstrap demo makes one"
		return
	fi
	mkdir "$pages/example"
	./copse report -f html -o "$pages/example/demo.html" demo.copse
	cat >"$pages/example.md" <<-'END'
		# A live page

		[Open it](example/demo.html): what `copse report -f html` makes of the run of
		`./bootstrap demo`, four ranks. It is one file that loads nothing from anywhere.
		[The tutorial](doc/tutorial.md#the-same-in-a-browser) says what to click on.

		[![The first screen](doc/page-overview.png)](example/demo.html)
	END
}

# What the search reads, as a script: a page from a file may fetch nothing, and
# may begin a worker of a text that it has.
search_offline() {
	python3 - site <<-'END'
		import glob, json, sys
		site = sys.argv[1]
		worker, = glob.glob(site + "/assets/javascripts/workers/search.*.js")
		with open(site + "/search/offline.js", "w") as out:
		    out.write("var __search = { worker: URL.createObjectURL(new Blob([%s]))"
		              ",\nindex: Promise.resolve(%s) };\n"
		              % (json.dumps(open(worker).read()),
		                 open(site + "/search/search_index.json").read()))
	END
	find site -name '*.html' -exec sed -i \
		's|<script src="\([./]*\)assets/javascripts/bundle|<script src="\1search/offline.js"></script>&|' {} +
}

rm -rf "$made" site
mkdir -p "$pages/doc/decisions" "$pages/man" "$pages/tests/gpu"
cp "$source/README.md" "$source/CONTRIBUTING.md" "$source/COPYING" "$pages"
{ printf '# News\n\n```\n'; cat "$source/NEWS"; echo '```'; } >"$pages/NEWS.md"
cp "$doc"/*.md "$doc"/*.png "$pages/doc"
cp "$doc"/decisions/*.md "$pages/doc/decisions"
cp "$source/tests/gpu/on-device.md" "$pages/tests/gpu"
cp "$doc/site.css" "$pages"
# mandoc links to the pages that it finds in its folder.
cp "$doc"/*.[1-9] "$made"
cp doc/*.[1-9] "$made"
cd "$made"
for page in *.[1-9]; do
	man_page "$page" >"$pages/man/$page.md"
done
cd ..
example
{ cat "$doc/mkdocs.yml"; contents; } >"$made/mkdocs.yml"
mkdocs build -q -f "$made/mkdocs.yml"
search_offline
python3 "$doc/links.py" site
rm -rf "$made"
echo "site: $PWD/site/index.html"
