# SPDX-License-Identifier: BSD-3-Clause
"""launches.py LIBRARY - kernels of the made CUDA, each of a known time, from
functions that Python calls in many ways; some are made again and again, at one
address.
"""
import ctypes
import marshal
import sys
import threading

made = ctypes.CDLL(sys.argv[1])
alpha, beta = b"alpha", b"beta"


def launch(kernel, us):
    made.made_cudaLaunchKernel(kernel, 0, ctypes.c_uint64(1000 * us))


class Dense:
    def forward(self):
        launch(alpha, 1)


class Conv:
    def forward(self):
        for kernel in self.kernels():
            launch(kernel, 2)

    def kernels(self):
        yield alpha
        yield beta


async def loss():
    launch(beta, 3)


def awaits():
    try:
        loss().send(None)
    except StopIteration:
        pass


def step(layers):
    for layer in layers:
        layer.forward()
    awaits()
    list(map(lambda us: launch(alpha, us), [4]))


def train(steps):
    layers = [Dense(), Conv()]
    for _ in range(steps):
        step(layers)


def loaded(steps):
    """As pickle loads tasks."""
    text = "def task_%d(launch, kernel): launch(kernel, %d)"
    codes = [compile(text % (i, i), "tasks.py", "exec") for i in (5, 6, 7)]
    tasks = [marshal.dumps(code.co_consts[0]) for code in codes]
    for k in range(steps):
        type(train)(marshal.loads(tasks[k % 3]), {})(launch, beta)


def executed(steps):
    for k in range(steps):
        name, names = "text_%d" % (k % 3), {}
        exec("def %s(launch, kernel): launch(kernel, 8)" % name, names)
        names[name](launch, beta)


thread = threading.Thread(target=train, args=(300,))
thread.start()
thread.join()
train(200)
loaded(300)
executed(300)
