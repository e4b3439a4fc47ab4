# Man pages; tests/docs.sh wants one for each command.
dist_man_MANS += doc/copse.1 doc/copse-check.1 doc/copse-completion.1 \
	doc/copse-export.1 doc/copse-gate.1 \
	doc/copse-info.1 doc/copse-merge.1 doc/copse-recover.1 \
	doc/copse-report.1 doc/copse-run.1 doc/copse.3 doc/copse-format.5

EXTRA_DIST += doc/design.md doc/style.md doc/adding.md doc/performance.md \
	doc/launchers.md
