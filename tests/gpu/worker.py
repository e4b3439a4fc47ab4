# SPDX-License-Identifier: BSD-3-Clause
"""worker.py LIBRARY - kernels of the made CUDA that a library's own threads
launch: alpha and beta while a function of Python waits that has started the
thread, gamma while another one waits, delta at any time.
"""
import ctypes
import sys

made = ctypes.CDLL(sys.argv[1])


def run_engine(kernel, count):
    made.made_by_worker(kernel, count)


def backward(kernel, count):
    run_engine(kernel, count)


def generator():
    backward(b"alpha", 3)


def discriminator():
    backward(b"beta", 5)


def elsewhere():
    made.made_by_worker(b"gamma", 2)


def prefetch():
    made.made_beside(b"delta")


def step():
    generator()
    discriminator()
    elsewhere()
    return sum(range(20000))


prefetch()
for _ in range(200):
    step()
