# SPDX-License-Identifier: BSD-3-Clause
"""places.py LIBRARY - how much more CPU time the launches of the made CUDA take
below a function whose code is where a module's was that has been seen before,
as after many an import, than below another one.
"""
import ctypes
import marshal
import sys
import time

made = ctypes.CDLL(sys.argv[1])
WAIT = """import time
until = time.process_time() + 0.1
while time.process_time() < until: pass
"""


def launch():
    made.made_cudaLaunchKernel(b"alpha", 0, ctypes.c_uint64(1000))


def task(n):
    text = "def task(launch):\n%s for _ in range(3000): launch()"
    code = compile(text % (" x = 1\n" * n), "tasks.py", "exec")
    return code.co_consts[0]


def least(code):
    function, rounds = type(launch)(code, {"range": range}), []
    for _ in range(5):
        before = time.process_time()
        function(launch)
        rounds.append(time.process_time() - before)
    return min(rounds)


module = compile("x = 1\n" * 40 + WAIT, "module.py", "exec")
size, place = sys.getsizeof(module), id(module)
text = next(marshal.dumps(code) for code in map(task, range(200))
            if sys.getsizeof(code) == size)
exec(module, {})
del module
there, elsewhere = marshal.loads(text), marshal.loads(text)
if id(there) != place:
    sys.exit("the place was taken")
print("%.2f" % (least(there) / least(elsewhere)))
