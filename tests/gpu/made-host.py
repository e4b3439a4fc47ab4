# SPDX-License-Identifier: BSD-3-Clause
"""made-host.py LIBRARY KIND [graph] - as made-host, from Python: `forward`
launches through many functions; `augment` computes its input in Python first;
`loader` has two worker processes do so.
"""
import ctypes
import multiprocessing
import sys
import time

STEPS = 150
BATCHES = 100
US = 1000
ALPHA = b"_Z5alphaPfi"
made = ctypes.CDLL(sys.argv[1])
graph = "graph" in sys.argv[3:]
launch_kernel = made.made_cudaLaunchKernel
launch_kernel.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint64]
launch_graph = made.made_cudaGraphLaunch
launch_graph.argtypes = [ctypes.c_uint, ctypes.c_uint64]


class Layer:
    def __init__(self, size):
        self.size = size

    def call(self, depth, x):
        """As the layers of a framework's calls."""
        return self.call(depth - 1, x) if depth else self.forward(x)

    def forward(self, x):
        launch_kernel(ALPHA, 1, 3 * US)
        return x % 7 + self.size


def forward(layers):
    if graph:
        launch_graph(1, len(layers) * 4 * US)
        return
    x = 1
    for layer in layers:
        x = layer.call(60, x)


def item():
    made.made_cudaStreamSynchronize(1)


def augment(size):
    total = 0
    for i in range(size):
        total += i * i % 7
    return total


def step_forward(layers):
    forward(layers)
    item()


def step_augment(layers):
    augment(60000)
    forward(layers)
    item()


def load(queue, steps):
    for _ in range(steps):
        queue.put(augment(150000))


def batches():
    """As DataLoader has them: workers put into a queue, the trainer gets."""
    queue = multiprocessing.Queue(4)
    workers = [multiprocessing.Process(target=load, args=(queue, BATCHES // 2))
               for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(BATCHES):
        yield queue.get(timeout=60)
    for worker in workers:
        worker.join()


def train(kind):
    layers = [Layer(i) for i in range(100)]
    if kind == "loader":
        for _ in batches():
            step_forward(layers)
        return
    step = step_augment if kind == "augment" else step_forward
    for _ in range(STEPS):
        step(layers)


multiprocessing.set_start_method("fork")
launch_kernel(ALPHA, 1, US)
begin = time.monotonic()
train(sys.argv[2])
print("steps", STEPS, "%.6f" % (time.monotonic() - begin))
