#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python.sh - Python: the interpreter, its libraries, and modules that it
# loads while it runs.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
# shellcheck source=tests/lib/real.sh
. "$srcdir/tests/lib/real.sh"

cat >"$scratch/load.py" <<'EOM'
import decimal, hashlib, json, random, re, sqlite3, threading, zlib

random.seed(1)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def text(i):
    values = {str(k): [random.random() for _ in range(20)]
              for k in range(100)}
    data = json.dumps(values)
    assert json.loads(data) == values
    try:
        raise ValueError(len(re.findall(r"(\d+)\.(\d+)", data)))
    except ValueError as found:
        packed = zlib.compress(data.encode())
        print(i, found, hashlib.sha256(packed).hexdigest(), fib(16))


def table(rows):
    db = sqlite3.connect(":memory:")
    db.execute("create table t(a, b)")
    db.executemany("insert into t values(?, ?)",
                   ((i, str(i)) for i in range(rows)))
    print(db.execute("select sum(a) from t where b like '%7%'").fetchall())


for i in range(100):
    text(i)
print(sum(decimal.Decimal(i).sqrt() for i in range(2000)))
thread = threading.Thread(target=table, args=(50000,))
thread.start()
thread.join()
EOM

# Not another python3 in the path: Debian's is as it comes to users.
run_python() {
	need /usr/bin/python3
	run_both 0 /usr/bin/python3 "$scratch/load.py"
}

point "runs with and without copse" run_python
point "prints the same" after_run same_but cat
point "99 % of the ticks have a complete path" after_run complete 0.99
point "remembered paths are right" after_run paths_are_verified
points_done
