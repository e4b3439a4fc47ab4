#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cpython.sh - CPython's own tests of what a sampler may disturb: each has the
# outcome at 10,000 samples a second that it has without.
#
# Variables: PYTHON, the interpreter, default Debian's; CPYTHON_TESTS, their
# names, "all" for whole modules (an hour on a busy machine), default a part
# of each that takes a minute.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
python=${PYTHON:-/usr/bin/python3}

# Harm is looked for as users measure, but for the rate.
unset COPSE_BUDGET

cat >outcomes.py <<'EOM'
"""outcomes.py FILE NAME...: runs the tests, and writes how each ended."""
import sys
import unittest

ends = {}


class Result(unittest.TextTestResult):
    def note(self, test, end):
        if ends.get(test.id(), "ok") == "ok":
            ends[test.id()] = end

    def addSuccess(self, test):
        self.note(test, "ok")
        super().addSuccess(test)

    def addError(self, test, err):
        self.note(test, "error")
        super().addError(test, err)

    def addFailure(self, test, err):
        self.note(test, "failed")
        super().addFailure(test, err)

    def addSkip(self, test, reason):
        self.note(test, "skipped")
        super().addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        self.note(test, "failed as expected")
        super().addExpectedFailure(test, err)

    def addSubTest(self, test, subtest, err):
        if err:
            self.note(test, "failed in part")
        super().addSubTest(test, subtest, err)


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:])
    unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    with open(sys.argv[1], "w") as out:
        for name in sorted(ends):
            out.write("%s %s\n" % (ends[name], name))
EOM

part_of() {
	case $CPYTHON_TESTS-$1 in
	all-*)	echo "test.test_$1" ;;
	-threading) echo test.test_threading.ThreadTests ;;
	-asyncio)
		echo test.test_asyncio.test_futures test.test_asyncio.test_locks \
			test.test_asyncio.test_taskgroups ;;
	-subprocess) echo test.test_subprocess.RunFuncTestCase \
		test.test_subprocess.ContextManagerTests ;;
	-faulthandler)
		echo test.test_faulthandler.FaultHandlerTests.test_sigsegv \
			test.test_faulthandler.FaultHandlerTests.test_dump_traceback \
			test.test_faulthandler.FaultHandlerTests.test_register ;;
	-*)	echo "test.test_$1" ;;
	*)	echo "$CPYTHON_TESTS" ;;
	esac
}

# The first time without, and once more where they differ: tests of CPython's
# that measure time fail now and then on a busy machine, each by itself.
same_outcomes() {
	need "$python"
	"$python" -c 'import test.test_gc' 2>out ||
		skip "no tests of CPython's here"
	names=$(part_of "$1")
	# shellcheck disable=SC2086 # a list of words
	"$python" outcomes.py without $names >out 2>&1 </dev/null
	wc -l <without
	for _ in 1 2 3; do
		rm -rf with tests.copse
		# shellcheck disable=SC2086
		"$copse" run -q -e cpu@10000 -o tests.copse "$python" \
			outcomes.py with $names >out 2>&1 </dev/null
		if diff without with >differ; then
			samples
			return
		fi
		cat differ
		# What fails without copse now and then, too, tells nothing.
		# shellcheck disable=SC2086
		"$python" outcomes.py without $names >again 2>&1 </dev/null
	done
	tail -n 40 out
	return 1
}

# Some; --budget leaves few of a short test where a signal takes 100 us.
samples() {
	"$copse" report -f csv --table run tests.copse |
		awk -v columns='samples' -f "$srcdir/tests/lib/csv.awk" |
		awk '{ print $1, "samples"; exit $1 < 20 }'
}

for module in generators coroutines gc sys_settrace threading asyncio \
	subprocess faulthandler; do
	point "test_$module" same_outcomes "$module"
done
points_done
