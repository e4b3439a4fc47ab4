#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python.sh - functions of Python in call paths: a program whose functions are
# named by their callers, called in all the ways that Python has, is seen to be
# on these paths, and on lines of these functions.
#
# Variables: PYTHONS, interpreters to try, default Debian's.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
pythons=${PYTHONS:-/usr/bin/python3}
chains=$srcdir/tests/programs/python-chains.py

# measured PYTHON ARGUMENT…: as often as samples can be had.
measured() {
	rm -rf python.copse
	"$copse" run -q -e cpu@5000 -o python.copse "$@" >out 2>&1 ||
		{ cat out; return 1; }
	"$copse" report -m samples -f folded python.copse >folded &&
		"$copse" report hotspots --by-line -n 0 -f csv python.copse >csv
}

# Each remembered path is walked again, and compared.
chains_are_known() {
	need "$1"
	"$1" "$chains" write "$2" 1 >chains.py || return
	measured --verify on "$1" chains.py || return
	"$copse" report python.copse | tail -n 5
	"$1" "$chains" check chains.py folded csv || return
	"$copse" report python.copse -f csv --table losses >losses || return
	! grep verify.differs losses
}

# Deeper than --depth: what is nearest to the leaf is joined with what is nearest
# to the root, and that is the right one.  With --verify all frames between are
# followed.
deep_recursion() {
	need "$1"
	"$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		skip "up to 3.10 the ends of a deep path are not joined"
	cat >deep.py <<-'EOM'
		import sys, time
		depth = int(sys.argv[1])
		sys.setrecursionlimit(depth + 1000)
		def spin():
		    until = time.process_time() + 0.02
		    while time.process_time() < until: sum(range(100))
		def odd(): spin()
		def even(): spin()
		def down(n, leaf):
		    if n:
		        down(n - 1, leaf)
		        if n == 100: down(n - 1, leaf)
		    else: leaf()
		def first(): down(depth, odd)
		def second(): down(depth, even)
		until = time.process_time() + 1
		while time.process_time() < until:
		    first()
		    second()
	EOM
	measured --verify "$3" "$1" deep.py "$2" || return
	"$copse" report python.copse -f csv --table losses >losses || return
	cat losses
	! grep verify.differs losses && grep joined.depth losses || return
	awk '/;down[; ]/ { n += $NF }
		/<module>;(first|second);(.*;)?down[; ]/ { rooted += $NF }
		/;first;.*;even[; ]|;second;.*;odd[; ]/ { wrong += $NF }
		END { print rooted, "of", n, "wrong", wrong + 0
			exit wrong || n < 50 || rooted < 0.99 * n }' folded
}

# spent BUDGET PYTHON: what sampling cost, in seconds.
spent() {
	rm -rf python.copse
	"$copse" run -q --budget "$1" -e cpu@10000 -o python.copse "$2" down.py &&
		"$copse" report summary python.copse -f json |
		sed -n 's/.*"self_cost": *\([0-9.e-]*\).*/\1/p'
}

# What functions of Python cost is a part of what sampling may cost.
budget_holds() {
	need "$1"
	cat >down.py <<-'EOM'
		import time
		def down(n):
		    return down(n - 1) if n else sum(range(50))
		until = time.process_time() + 3
		while time.process_time() < until: down(40)
	EOM
	all=$(spent 0 "$1")
	some=$(spent 1 "$1")
	echo "$some s, without a budget $all s"
	awk -v all="$all" -v some="$some" 'BEGIN { exit !(some * 2 < all) }'
}

# off: the interpreter's frames; full: both.
modes() {
	need "$1"
	"$1" "$chains" write 1 0.3 >chains.py || return
	measured --python off "$1" chains.py || return
	grep -qE ';na(;|_)' folded && { echo "off: a function of Python"; return 1; }
	grep -q PyEval_Eval folded || { echo "off: no interpreter"; return 1; }
	measured --python full "$1" chains.py || return
	grep -q 'PyEval_Eval.*;na;.*PyEval_Eval.*;na_' folded
}

# Characters of one, two and four bytes in the names of files and functions.
letters() {
	need "$1"
	cat >größe.py <<-'EOM'
		import time
		def spin():
		    until = time.process_time() + 0.2
		    while time.process_time() < until: sum(range(100))
		def größe(): spin()
		def кириллица(): größe()
		class 数: pass
		def 计算(): кириллица()
		exec("def 𠀀计(): 计算()")
		𠀀计()
	EOM
	measured "$1" größe.py || return
	grep '<module>;𠀀计;计算;кириллица;größe;spin' folded || return
	grep '^spin,[^,]*/größe.py,' csv
}

# The line of a call is that where its function's name stands, as tracebacks
# have it: of calls of several lines, after blank ones, far down, and of a
# function that Python wrote.
lines_of_calls() {
	need "$1"
	{
		cat <<-'EOM'
			import time
			def spin(*_):
			    until = time.process_time() + 0.1
			    while time.process_time() < until: sum(range(100))
			def several():
			    spin(1,
			         2,

			         3)
		EOM
		echo 'def far():'
		yes '    x = 1' | head -n 3000
		printf '%s\n' '' '    spin()' 'several()' 'far()' \
			'exec("\n" * 70000 + "def written(): spin()\nwritten()")'
	} >lines.py
	far=$(grep -n '^    spin()' lines.py | sed 's/:.*//')
	measured "$1" lines.py || return
	"$copse" export hatchet python.copse >hatchet.json || return
	for line in 6 "$far" 70001; do
		grep -qE "\"line\": ${line}[,}]" hatchet.json ||
			{ echo "no line $line"; return 1; }
	done
}

# Python calls Cython, that a library of C, which calls Cython, that Python.
cython() {
	need "$1"
	"$1" -c 'import h5py' || skip "no h5py here"
	cat >visits.py <<-'EOM'
		import time
		import h5py
		def look(name, thing):
		    until = time.process_time() + 0.5
		    while time.process_time() < until: sum(range(100))
		def visits():
		    with h5py.File('some.h5', 'w') as file:
		        file['a'], file['b'] = 1, 2
		        file.visititems(look)
		visits()
	EOM
	measured "$1" visits.py || return
	# Up to Python 3.10 names have no class.
	between='(Group[.])?visititems;.*;H5Ovisit_by_name[0-9]*;.*;(Group.visititems.*)?proxy'
	awk -v path="<module>;visits;$between;look[; ]" '
		/;look[; ]/ { n += $NF; right += $0 ~ path ? $NF : 0 }
		END { print right, "of", n; exit n < 100 || right < 0.99 * n }' \
		folded
}

# What an import takes is below one frame, not below the ten of importlib.
imports() {
	need "$1"
	cat >slow.py <<-'EOM'
		import time
		until = time.time() + 0.3
		while time.time() < until: sum(range(100))
	EOM
	echo 'import slow' >imports.py
	measured "$1" imports.py || return
	! grep _find_and_load folded || return
	grep '<module>;\[import\];<module>' folded
}

# It is start-up, said by the package that is imported, and no rule's function:
# what is behind it is.
starts() {
	need "$1"
	mkdir -p site-packages/slow &&
		cat >site-packages/slow/__init__.py <<-'EOM' || return
		import time
		until = time.process_time() + 1
		while time.process_time() < until: sum(range(100))
	EOM
	cat >starts.py <<-'EOM'
		import sys, time
		sys.path.insert(0, "site-packages")
		import slow
		def steady(until):
		    while time.process_time() < until:
		        for i in range(20000): i * i
		steady(time.process_time() + 0.6)
	EOM
	measured "$1" starts.py &&
		"$copse" report --width 1000 python.copse >said || return
	cat said
	grep 'starting and ending: .*: import slow [0-9.]* m*s' said &&
		grep '^– [0-9]* % of the CPU time behind start-up is in steady' said
}

# Code that is made again and again, as pickled functions are, has the address,
# the name's address and the line table's of what was there before: each one of
# twenty calls the one of its number, which stays.
made_again() {
	need "$1"
	cat >again.py <<-'EOM'
		import marshal, random, time
		def function(text):
		    return compile(text, "tasks.py", "exec").co_consts[0]
		MADE = """def made_{0}(kept):
		    s = 0
		    for i in range(3000): s += i
		    return kept()
		"""
		KEPT = MADE.replace("made_", "kept_").replace("kept)", ")") \
		           .replace("kept()", "s")
		kept, made = [], []
		for n in range(20):
		    exec(KEPT.format("%02d" % n))
		    kept.append(globals()["kept_%02d" % n])
		    made.append(marshal.dumps(function(MADE.format("%02d" % n))))
		until = time.process_time() + 1.5
		while time.process_time() < until:
		    n = random.randrange(20)
		    code = marshal.loads(made[n])
		    type(function)(code, globals())(kept[n])
	EOM
	measured --budget 0 "$1" again.py || return
	awk 'match($0, /made_..;kept_../) {
			n += $NF
			if (substr($0, RSTART + 5, 2) != \
			    substr($0, RSTART + 13, 2))
				wrong += $NF
		}
		END { print wrong + 0, "of", n; exit n < 500 ||
			wrong > 0.005 * n }' folded
}

# What an interpreter runs stands below the function of another one that asked
# for it, in the first thread and another, and what runs beside it does not.
interpreters() {
	need "$1"
	"$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		skip "up to 3.10 one interpreter is known"
	cat >inner.py <<-'EOM'
		import threading, time
		IMPORT = """
		try: import _interpreters as interpreters
		except ImportError: import _xxsubinterpreters as interpreters
		"""
		SPIN = """
		import time
		def nested():
		    until = time.process_time() + 0.2
		    while time.process_time() < until: sum(range(100))
		nested()
		"""
		ASK = IMPORT + "SPIN = %r" % SPIN + """
		def asked(): interpreters.run_string(interpreters.create(), SPIN)
		asked()
		"""
		exec(IMPORT)
		one = interpreters.create()
		def plain():
		    until = time.process_time() + 0.2
		    while time.process_time() < until: sum(range(100))
		def outer(text):
		    interpreters.run_string(one, text)
		    plain()
		outer(SPIN)
		thread = threading.Thread(target=outer, args=(SPIN,))
		thread.start()
		thread.join()
		outer(ASK)
	EOM
	measured --verify on "$1" inner.py &&
		"$copse" report -m cpu.time -f folded python.copse >folded || return
	grep -E 'nested|plain' folded
	"$copse" report python.copse -f csv --table losses >losses || return
	! grep verify.differs losses || return
	awk '/nested|plain/ { n += $NF }
		/outer;.*<module>;nested[; ]/ { nested += $NF }
		/asked;.*<module>;nested[; ]/ { asked += $NF }
		/outer;plain[; ]/ && !/nested|asked/ { plain += $NF }
		END { print nested, asked, plain, "of", n
			exit !(n > 1e6 && nested + plain >= 0.995 * n &&
				nested > 0.4 * n && plain > 0.4 * n &&
				asked > 0.1 * n) }' folded
}

# A generator is left at each value that it yields: hardly a path is cut there.
generators() {
	need "$1"
	cat >yields.py <<-'EOM'
		import time
		until = time.time() + 0.5
		while time.time() < until: sum(i * i for i in range(500))
	EOM
	measured "$1" yields.py || return
	"$copse" report -f csv --table losses python.copse >losses || return
	cat losses
	awk -F, '$1 == "partial.python" && $3 > 0.005 { exit 1 }' losses
}

# gil_share PYTHON KIND: of the time that threads held the GIL or waited for it,
# and of the elapsed time, what they waited; and what they waited for a core.
gil_share() {
	cat >gil.py <<-'EOM'
		import sys, threading, time, zlib
		data = bytes(range(256)) * 20000
		def crunch():
		    while time.time() < until: sum(i * i for i in range(500))
		def pack():
		    while time.time() < until: zlib.compress(data, 6)
		until = time.time() + 1
		threads = [threading.Thread(target=globals()[sys.argv[1]])
		           for _ in range(2)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
	EOM
	rm -rf gil.copse
	"$copse" run -q -e wall -o gil.copse "$1" gil.py "$2" || return
	"$copse" report threads -f csv --table gil gil.copse >gil || return
	cat gil
	awk -v columns='waited_share waited elapsed' \
		-f "$srcdir/tests/lib/csv.awk" gil |
		awk '{ print $1, $2 / $3 }' >share || return
	"$copse" report -f csv --table run gil.copse |
		awk -v columns=core_wait -f "$srcdir/tests/lib/csv.awk" >cores
}

# A GIL that nobody uses is neither held nor waited for.  Imports take it.
no_gil() {
	need "$1"
	"$1" -c 'import sys; sys.exit(sys._is_gil_enabled())' 2>/dev/null ||
		skip "it has a GIL"
	gil_share "$1" crunch || return
	awk -v columns='elapsed held waited' \
		-f "$srcdir/tests/lib/csv.awk" gil |
		awk '{ print; exit $2 > 0.1 * $1 || $3 > 0 }'
}

# Two threads that run nothing but Python wait half of the time each.  A thread
# that holds the GIL and lacks a core is not sampled: there it is more or less.
gil_is_waited_for() {
	need "$1"
	export PYTHON_GIL=1 # also where it is left out
	gil_share "$1" crunch || return
	paste share cores | awk '{ lacked = $3 > 0.02; print
		exit !($1 > 0.4 - 0.2 * lacked && $1 < 0.6 + 0.3 * lacked &&
		       $2 > 0.7 - 0.4 * lacked) }' || return
	"$copse" report gil.copse | grep 'waited .* for the GIL' || return
	"$copse" report ranks -f csv gil.copse |
		awk -v columns='gil_wait gil_held' \
			-f "$srcdir/tests/lib/csv.awk" |
		awk '{ print; exit !($1 > 0.2 * ($1 + $2)) }' || return
	"$copse" report hotspots -m gil.wait -f csv gil.copse |
		grep '^crunch'
}

gil_is_released() {
	need "$1"
	gil_share "$1" pack || return
	awk '{ exit $2 > 0.1 }' share
}

# Processes that multiprocessing starts are the program's, as they are called.
workers() {
	need "$1"
	cat >workers.py <<-'EOM'
		import multiprocessing, sys, time
		def work(n):
		    until = time.process_time() + 0.2
		    while time.process_time() < until: sum(range(500))
		if __name__ == '__main__':
		    multiprocessing.set_start_method(sys.argv[1])
		    with multiprocessing.Pool(2) as pool: pool.map(work, range(2))
	EOM
	for how in spawn forkserver; do
		measured "$1" workers.py "$how" || return
		"$copse" report python.copse | grep "^summary · workers.py $how " ||
			return
	done
}

# A run is named by the program in Python, however it is called.
headlines() {
	need "$1"
	"$1" -m venv --without-pip apart || return
	mkdir -p tools && touch tools/__init__.py
	cat >tools/burn.py <<-'EOM'
		import time
		def main():
		    until = time.process_time() + 0.1
		    while time.process_time() < until: sum(range(100))
		if __name__ == '__main__': main()
	EOM
	printf '%s\n' "#!$PWD/apart/bin/python" 'from tools.burn import main' \
		'main()' >burn-it
	chmod +x burn-it
	export PYTHONPATH="$PWD"
	for how in "$1 -m tools.burn" ./burn-it "$1 -X dev -W ignore burn-it" \
		"apart/bin/python tools/burn.py" \
		"env $1 tools/burn.py"; do
		# shellcheck disable=SC2086
		measured $how || return
		"$copse" report python.copse >summary || return
		head -n 1 summary
		case $how in
		*-m*)	name=tools.burn ;;
		*burn-it) name=burn-it ;;
		*)	name=burn.py ;;
		esac
		grep -q "^summary · $name · 1 process$" summary &&
			grep -q "main *burn.py:4 " summary || return
	done
}

# A program that opens libpython, for itself or for all, closes it and opens it
# again: PyCall and reticulate begin so.
opened_later() {
	cat >embeds.c <<-'EOM'
		#include <dlfcn.h>
		#include <stdio.h>
		static int run(const char *library, int how)
		{
			void *python = dlopen(library, how);

			if (!python)
				return 77;
			((void (*)(void))dlsym(python, "Py_Initialize"))();
			((int (*)(const char *))dlsym(python,
						      "PyRun_SimpleString"))(
				"import time\n"
				"def inner(until):\n"
				"    while time.process_time() < until:"
				" sum(range(100))\n"
				"def outer(): inner(time.process_time() + 0.3)\n"
				"outer()\n");
			((void (*)(void))dlsym(python, "Py_Finalize"))();
			return dlclose(python);
		}
		int main(int argc, char **argv)
		{
			int how = argc > 2 ? RTLD_GLOBAL : RTLD_LOCAL;
			int err = run(argv[1], RTLD_NOW | how);

			return err ? err : run(argv[1], RTLD_NOW | how);
		}
	EOM
	library=$(/usr/bin/python3 -c 'import sys
print("libpython%d.%d.so.1.0" % sys.version_info[:2])')
	${CC:-cc} -o embeds embeds.c -ldl || return
	./embeds $library || skip "no $library here"
	for how in '' global; do
		# shellcheck disable=SC2086
		measured --verify on ./embeds $library $how || return
		awk '{ n += $NF } /;run;<module>;outer;inner[; ]/ { at += $NF }
		     END { print at, "of", n; exit at < 0.7 * n || n < 200 }' \
			folded || return
		"$copse" report python.copse -f csv --table losses >losses || return
		# An address that another function has now: python.md's limits.
		awk -F , '/^verify.differs/ { print; exit $2 > 20 }' losses ||
			return
	done
}

# The interpreter's loop is called by code that was made, as with -X perf.
trampolines() {
	need "$1"
	cat >trampolines.py <<-'EOM'
		import ctypes, mmap, sys, time
		def install(api, page):
		    loop = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p)
		    page.write(b"\x48\x83\xec\x08\x48\xb8" + # sub, mov
		               loop.value.to_bytes(8, "little") +
		               b"\xff\xd0\x48\x83\xc4\x08\xc3") # call, add, ret
		    code = ctypes.addressof(ctypes.c_char.from_buffer(page))
		    api.PyInterpreterState_Get.restype = ctypes.c_void_p
		    api._PyInterpreterState_SetEvalFrameFunc(
		        ctypes.c_void_p(api.PyInterpreterState_Get()),
		        ctypes.c_void_p(code))
		page = mmap.mmap(-1, 4096, prot=7)
		if hasattr(sys, "activate_stack_trampoline"):
		    sys.activate_stack_trampoline("perf")
		else:
		    install(ctypes.pythonapi, page)
		def inner():
		    until = time.process_time() + 0.5
		    while time.process_time() < until: sum(range(100))
		def outer(): inner()
		def run(): outer()
		run()
	EOM
	measured --verify on "$1" trampolines.py || return
	cat folded
	awk '{ n += $NF } /^<module>;run;outer;inner[; ]/ { at += $NF }
	     END { print at, "of", n; exit at < 0.7 * n || n < 200 }' folded &&
		! grep -e 'inner.*partial' -e 'partial.*inner' -e 'no module' folded ||
		return
	"$copse" report python.copse -f csv --table losses >losses || return
	! grep verify.differs losses
}

# Threads have the names that Python knows them by; the program's own code is
# not asked, what the kernel calls them stays, and a thread that Python has no
# name for has that one.
names_of_threads() {
	need "$1"
	"$1" -c 'import sys; sys.exit(not 11 <= sys.version_info[1] < 14)' ||
		skip "names are not read, or the kernel has them"
	cat >names.py <<-'EOM'
		import _thread, threading, time
		def spin():
		    until = time.thread_time() + 0.2
		    while time.thread_time() < until: sum(range(1000))
		    comm = open("/proc/thread-self/comm").read().strip()
		    same.append(comm == program)
		class Own(threading.Thread):
		    asked = 0
		    def __init__(self):
		        self.first, self.other = "no name", "nor this"
		        super().__init__(target=spin, name="own-thread")
		    def __getattribute__(self, name):
		        Own.asked += name == "_name"
		        return super().__getattribute__(name)
		program, same = open("/proc/self/comm").read().strip(), []
		threads = [threading.Thread(target=spin), Own(),
		           threading.Thread(target=spin, name="reader"),
		           threading.Thread(target=spin, name="zwölf Zeichenü"),
		           threading.Thread(target=spin, name=12345)]
		vars(threads[2])["more"] = 1
		for thread in threads: thread.start()
		_thread.start_new_thread(spin, ())
		for thread in threads: thread.join()
		while len(same) < 6: time.sleep(0.01)
		print(all(same), Own.asked)
	EOM
	cat >asks.py <<-'EOM'
		import threading
		class Asked(threading.Thread):
		    asked = 0
		    @property
		    def _name(self):
		        Asked.asked += 1
		        return "asked"
		    @_name.setter
		    def _name(self, name): pass
		thread = Asked(target=sum, args=([],))
		thread.start()
		thread.join()
		print(Asked.asked)
	EOM
	for program in asks.py names.py; do
		"$1" $program >plain || return
		measured "$1" $program && cat out && diff plain out || return
	done
	"$copse" report threads -n 0 -f csv --table kinds python.copse |
		awk -v columns='name began_in' -f "$srcdir/tests/lib/csv.awk" |
		tr '\t' ' ' | sort >names
	cat names
	for name in own-thread 'Thread-1 (spin)' reader 'zwölf Zeichen' 12345; do
		grep -qx "$name Thread._bootstrap" names || return
	done
	[ "$(grep -c _bootstrap names)" = 5 ] && grep -q 'python.* spin' names
}

point "libpython that is opened later" opened_later
for python in $pythons; do
	point "$python: what a run is called" headlines "$python"
	point "$python: paths and lines of one thread" chains_are_known "$python" 1
	point "$python: of four threads" chains_are_known "$python" 4
	for deep in 1000 5000 50000; do
		point "$python: $deep deep" deep_recursion "$python" $deep off
		point "$python: $deep deep: confirmed" \
			deep_recursion "$python" $deep on
	done
	point "$python: off and full" modes "$python"
	point "$python: a budget" budget_holds "$python"
	point "$python: letters of all kinds" letters "$python"
	point "$python: lines of calls" lines_of_calls "$python"
	point "$python: callbacks through Cython" cython "$python"
	point "$python: an import" imports "$python"
	point "$python: start-up" starts "$python"
	point "$python: generators" generators "$python"
	point "$python: code that is made again" made_again "$python"
	point "$python: interpreters in interpreters" interpreters "$python"
	point "$python: processes that it starts" workers "$python"
	point "$python: trampolines" trampolines "$python"
	point "$python: no GIL" no_gil "$python"
	point "$python: waiting for the GIL" gil_is_waited_for "$python"
	point "$python: C without the GIL" gil_is_released "$python"
	point "$python: names of threads" names_of_threads "$python"
done
points_done
