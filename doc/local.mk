# Man pages are found by their name: tests/docs.sh wants one for each command.
EXTRA_DIST += doc/design.md doc/style.md doc/adding.md doc/performance.md
dist_man_MANS += doc/copse-format.5 doc/copse-info.1 doc/copse-merge.1
dist_man_MANS += doc/copse-report.1
dist_man_MANS += doc/copse.1 doc/copse-run.1 doc/copse-recover.1
dist_man_MANS += doc/copse-check.1 doc/copse-completion.1
EXTRA_DIST += doc/launchers.md
