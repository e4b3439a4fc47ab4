# SPDX-License-Identifier: BSD-3-Clause
# python.py SPIN.PTX - CUDA from Python by way of ctypes: the driver, without a
# runtime or a framework, launched from Python functions.
import ctypes
import sys

COUNT = 15
MS = 1000000


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


def call(name, *words):
    err = getattr(cuda, name)(*words)
    if err:
        sys.exit("%s: error %d" % (name, err))


def prepare(path):
    context, module, spin = (ctypes.c_void_p() for _ in range(3))
    device = ctypes.c_int()
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    with open(path, "rb") as text:
        call("cuModuleLoadData", ctypes.byref(module), text.read() + b"\0")
    call("cuModuleGetFunction", ctypes.byref(spin), module, b"spin")
    return spin


def launch(spin, cell):
    ns = ctypes.c_uint64(MS)
    words = (ctypes.c_void_p * 2)(ctypes.addressof(ns), ctypes.addressof(cell))
    call("cuLaunchKernel", spin, 1, 1, 1, 1, 1, 1, 0, None, words, None)


def main():
    cell = ctypes.c_void_p()
    spin = prepare(sys.argv[1])
    call("cuMemHostAlloc", ctypes.byref(cell), ctypes.c_size_t(8), 0)
    spent = ctypes.cast(cell, ctypes.POINTER(ctypes.c_uint64))
    spent[0] = 0
    for _ in range(COUNT):
        launch(spin, cell)
    call("cuCtxSynchronize")
    print("truth kernel spin * launches", COUNT)
    print("measured kernel spin * time", "%.9f" % (spent[0] * 1e-9))
    print("truth api cuLaunchKernel * calls", COUNT)


try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    skip("needs a GPU, and there is no libcuda.so.1")
if cuda.cuInit(0):
    skip("needs a GPU, and the driver has none")
main()
