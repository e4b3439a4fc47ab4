. "${srcdir:-.}/tests/tap.sh"
points_done
