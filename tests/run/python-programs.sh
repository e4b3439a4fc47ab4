#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-programs.sh - what reports make of programs in Python: packages as one
# function each, processes by what they do.
#
# Variables: PYTHON, the interpreter, default Debian's.
# shellcheck source=tests/lib/tap.sh
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"
cd "$scratch" || exit 99
python=${PYTHON:-/usr/bin/python3}

burn() {
	cat <<-'EOM'
		import time
		def burn(seconds):
		    until = time.process_time() + seconds
		    while time.process_time() < until: sum(range(100))
	EOM
}

# A package of two modules that call each other and, by way of Python's own
# library, a function of the user's.
make_packages() {
	site=$scratch/lib/python3.11/site-packages
	mkdir -p "$site/alpha/parts"
	burn >"$site/alpha/__init__.py"
	cat >>"$site/alpha/__init__.py" <<-'EOM'
		from alpha.parts import inner
		def outer(back):
		    burn(0.1)
		    inner.middle(back)
	EOM
	cat >"$site/alpha/parts/inner.py" <<-'EOM'
		import functools
		import alpha
		def middle(back):
		    alpha.burn(0.1)
		    functools.singledispatch(back)(0)
		alpha.burn(0.1) # as it is imported
	EOM
	burn >app.py
	cat >>app.py <<-'EOM'
		import alpha
		def back(n):
		    burn(0.2)
		def main():
		    alpha.outer(back)
		main()
	EOM
	export PYTHONPATH="$site"
}

# sum_of FILE FUNCTION…: of the exclusive time of these functions, or of all.
sum_of() {
	csv=$1
	shift
	awk -v columns='function exclusive' \
		-f "$srcdir/tests/lib/csv.awk" "$csv" |
		awk -F'\t' -v names=" $* " '
			names == "  " || index(names, " " $1 " ") { n += $2 }
			END { print n + 0 }'
}

packages() {
	need "$python"
	make_packages
	"$copse" run -q -e cpu@5000 -o app.copse "$python" app.py || return
	"$copse" report hotspots -n 0 -f csv app.copse >apart &&
		"$copse" report hotspots --collapse -n 0 -f csv app.copse \
			>together || return
	cat together
	grep -E '^"?(outer|middle|singledispatch)' together && return 1
	grep -q '^\[alpha\],.*site-packages/alpha,' together &&
		grep -q '^\[functools\],.*/lib/python3' together || return
	# What is one function now took what its functions took, all of it.
	near "$(sum_of together '[alpha]' burn)" \
		"$(sum_of apart outer middle burn)" 0.02 || return
	near "$(sum_of together)" "$(sum_of apart)" 1e-6
}

# On each path a package is one frame, with what is imported in it; the user's
# function that it calls back stands below.
packages_on_paths() {
	need "$python"
	[ -d app.copse ] || skip "no profile here"
	"$copse" report tree --collapse -f folded app.copse >folded || return
	cat folded
	grep -q 'main;\[alpha\];\[functools\];back;burn' folded &&
		grep -q '<module>;\[import\];\[alpha\] ' folded &&
		! grep -E '\[alpha\];\[(alpha|import)\]' folded || return
	"$copse" report --collapse app.copse >summary &&
		grep -q '^  .*back' summary || return
	"$copse" report -f html --collapse -o app.html app.copse &&
		"$copse" report ranks --collapse app.copse 2>err
	[ $? = 2 ] && grep -q 'hotspots' err
}

# groups_are LINE…: the groups of the run, in any order.
groups_are() {
	"$copse" report processes -f csv app.copse >groups || return
	cat groups
	awk -v columns='group started_by how processes path' \
		-f "$srcdir/tests/lib/csv.awk" groups |
		sed 's/\t\t*/ /g' >columns || return
	cat columns
	for line; do
		grep -qF -e "$line" columns || { echo "no: $line"; return 1; }
	done
}

# A worker of PyTorch's data loader is a process that calls this function.
make_loader() {
	site=$scratch/lib/python3.11/site-packages
	mkdir -p "$site/torch/utils/data/_utils"
	# Packages, so that they are taken where there is a PyTorch.
	for package in torch torch/utils torch/utils/data \
		torch/utils/data/_utils; do
		touch "$site/$package/__init__.py"
	done
	burn >"$site/torch/utils/data/_utils/worker.py"
	cat >>"$site/torch/utils/data/_utils/worker.py" <<-'EOM'
		def _worker_loop(dataset):
		    dataset()
		    burn(0.5) # what a worker does for itself
	EOM
	export PYTHONPATH="$site"
}

workers_by_kind() {
	need "$python"
	make_loader
	burn >workers.py
	cat >>workers.py <<-'EOM'
		import concurrent.futures, multiprocessing, subprocess, sys
		import os, time
		from torch.utils.data._utils import worker
		def decode(name=''):
		    """A worker of two has no more than its own to do."""
		    if name: open(name, 'w').close()
		    while name and sum(
		            os.path.exists(name[:-1] + n) for n in '01') < 2:
		        time.sleep(0.01)
		    burn(0.3)
		def stage(): burn(0.3)
		def start(context, target, *arguments):
		    process = context.Process(target=target, args=arguments)
		    process.start()
		    return process
		if __name__ == '__main__':
		    fork = multiprocessing.get_context('fork')
		    spawn = multiprocessing.get_context('spawn')
		    all = [start(fork, worker._worker_loop, decode)
		           for _ in range(3)]
		    all.append(start(spawn, stage))
		    with concurrent.futures.ProcessPoolExecutor(2) as pool:
		        list(pool.map(decode, ['pool0', 'pool1']))
		    server = multiprocessing.get_context('forkserver')
		    with server.Pool(2) as pool:
		        pool.map(decode, ['server0', 'server1'], 1)
		    subprocess.run([sys.executable, 'tool.py'])
		    for process in all: process.join()
	EOM
	burn >tool.py
	echo 'burn(0.3)' >>tool.py
	rm -rf app.copse
	"$copse" run -q -e cpu@2000 -o app.copse "$python" workers.py || return
	groups_are \
		'DataLoader worker workers.py fork 3 burn' \
		'process of stage workers.py spawn 1 burn' \
		'ProcessPoolExecutor worker workers.py fork 2 burn' \
		'Pool worker workers.py forkserver 2 burn' \
		'tool.py workers.py' || return
	"$copse" report --width 300 app.copse >summary
	cat summary
	grep 'worker of workers.py (fork): .* in burn ← .*_worker_loop' summary |
		grep '3 × DataLoader' || return
	"$copse" report -f html -o app.html app.copse &&
		PYTHONPATH=$srcdir/tests/lib "$python" -c 'if True:
			import page, sys
			title = page.decode("app.html")[0]["title"]
			print(title)
			sys.exit(title != "workers.py")' || return
	"$copse" report ranks -f csv app.copse >ranks
	[ "$(grep -c ',DataLoader worker,' ranks)" = 3 ]
}

# Ray's workers and Jupyter's kernels are known by how they are started.
workers_by_command() {
	need "$python"
	mkdir -p ray/_private/workers
	burn >ray/_private/workers/default_worker.py
	echo 'burn(0.3)' >>ray/_private/workers/default_worker.py
	cp ray/_private/workers/default_worker.py ipykernel_launcher.py
	cat >serves.py <<-'EOM'
		import subprocess, sys
		for how in (["ray/_private/workers/default_worker.py"],
		            ["-m", "ipykernel_launcher", "-f", "kernel.json"]):
		    subprocess.run([sys.executable, *how], check=True)
	EOM
	rm -rf app.copse
	"$copse" run -q -e cpu@2000 -o app.copse "$python" serves.py || return
	groups_are 'Ray worker serves.py' 'Jupyter kernel serves.py'
}

# What the page shows of a hot function in Python is its text.
sources() {
	need "$python"
	burn >text.py
	echo 'burn(0.3)' >>text.py
	rm -rf app.copse
	"$copse" run -q -e cpu@2000 -o app.copse "$python" text.py || return
	"$copse" report -f html --sources on -o app.html app.copse &&
		PYTHONPATH=$srcdir/tests/lib "$python" -c 'if True:
			import json, page, sys
			text = json.dumps(page.decode("app.html"))
			sys.exit("while time.process_time() < until" not in text)'
}

# With MPI, they are of ranks.
workers_of_ranks() {
	need "$python" mpirun
	"$python" -c 'import mpi4py' || skip "no mpi4py here"
	make_loader
	burn >ranks.py
	cat >>ranks.py <<-'EOM'
		import multiprocessing
		from mpi4py import MPI
		from torch.utils.data._utils import worker
		def decode(): burn(0.3)
		if __name__ == '__main__':
		    context = multiprocessing.get_context('fork')
		    rank = MPI.COMM_WORLD.Get_rank()
		    all = [context.Process(target=worker._worker_loop,
		                           args=(decode,))
		           for _ in range(2 if rank != 1 else 0)]
		    for process in all: process.start()
		    burn(0.3)
		    for process in all: process.join()
		    MPI.COMM_WORLD.Barrier()
	EOM
	rm -rf app.copse
	mpirun -n 3 "$copse" run -q -o app.copse "$python" ranks.py || return
	"$copse" merge app.copse || return
	groups_are 'DataLoader worker ranks 0, 2 fork 4 burn' 'ranks.py 3 burn'
}

point "packages of Python as one function each" packages
point "packages on call paths" packages_on_paths
point "processes by what they do" workers_by_kind
point "processes by their command lines" workers_by_command
point "lines of hot functions in the page" sources
point "processes that ranks started" workers_of_ranks
points_done
