# Man pages are found by their name: tests/docs.sh wants one for each command.
EXTRA_DIST += doc/design.md doc/style.md doc/adding.md doc/performance.md
