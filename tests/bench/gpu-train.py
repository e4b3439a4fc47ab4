# SPDX-License-Identifier: BSD-3-Clause
# gpu-train.py STEPS [profiler | turns CUPTI WAY...] - training steps of a small
# transformer on random data; microseconds per step, after as many as a tenth of them
# to warm up.  With `profiler` under torch.profiler, which records calls and kernels.
# With `turns` in ways to use CUPTI, the library turns-cupti: so many rounds of five
# steps of each, of which it prints round, way and nanoseconds.
#
#   MODEL  small, the default: launching is no smaller a part than computing;
#          large: the GPU always has work, and launching is hidden
import contextlib
import ctypes
import os
import random
import sys
import time

try:
    import torch
    from torch import nn
except ImportError:
    sys.stderr.write("skip: needs PyTorch\n")
    sys.exit(77)
if not torch.cuda.is_available():
    sys.stderr.write("skip: needs a GPU that PyTorch can use\n")
    sys.exit(77)

WORDS = 8192
WIDTH, LAYERS, LENGTH, BATCH = {
    "small": (512, 6, 128, 8),
    "large": (1024, 12, 256, 16),
}[os.environ.get("MODEL", "small")]


def build():
    layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, dropout=0.0,
                                       batch_first=True)
    return nn.Sequential(nn.Embedding(WORDS, WIDTH),
                         nn.TransformerEncoder(layer, LAYERS),
                         nn.Linear(WIDTH, WORDS)).cuda()


def train_step(model, optimizer, data):
    loss = nn.functional.cross_entropy(model(data).flatten(0, 1),
                                       data.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss


def train(model, optimizer, data, steps):
    for _ in range(steps):
        loss = train_step(model, optimizer, data)
    torch.cuda.synchronize()
    return loss.item()


def ways(library, wanted):
    library.turn_name.restype = ctypes.c_char_p
    count = 0
    while library.turn_name(count):
        count += 1
    return [way for way in range(count)
            if not wanted or library.turn_name(way).decode() in wanted]


def in_turns(path, wanted, rounds, one):
    library = ctypes.CDLL(path)
    order = ways(library, wanted)
    for turn in range(rounds):
        random.shuffle(order)
        for way in order:
            library.turn(way)
            one(1)
            start = time.monotonic()
            one(5)
            took = (time.monotonic() - start) / 5
            print(turn, library.turn_name(way).decode(), "%.1f" % (took * 1e9))


def main():
    steps = int(sys.argv[1])
    around = contextlib.nullcontext()
    if sys.argv[2:] == ["profiler"]:
        from torch.profiler import ProfilerActivity, profile
        around = profile(activities=[ProfilerActivity.CPU,
                                     ProfilerActivity.CUDA])
    torch.manual_seed(1)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = torch.randint(0, WORDS, (BATCH, LENGTH), device="cuda")
    train(model, optimizer, data, steps // 10 + 5)
    if sys.argv[2:3] == ["turns"]:
        in_turns(sys.argv[3], sys.argv[4:], steps,
                 lambda steps: train(model, optimizer, data, steps))
        return
    with around:
        start = time.monotonic()
        loss = train(model, optimizer, data, steps)
        took = time.monotonic() - start
    print("loss %.3f" % loss)
    print("measured own step * us %.3f" % (took / steps * 1e6))


main()
