# SPDX-License-Identifier: BSD-3-Clause
"""torch-host.py KIND [graph] - steps of PyTorch whose GPU waits for its host, and
the same in a CUDA graph.  It prints what a report has to say: the number of steps
and their seconds, how often a value is fetched and in which line.  Kinds:

  small   a network of 40 small layers, forward, backward and optimizer
  items   the same, and a value is fetched three times a step
  input   the same, and each batch is computed by NumPy first
  loader  the same, and two workers of a DataLoader compute it
"""
import inspect
import sys
import time

STEPS = 200


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import numpy
    import torch
except ImportError as error:
    skip("needs PyTorch and NumPy: %s" % error)
if not torch.cuda.is_available():
    skip("needs a GPU")

kind, graphed = sys.argv[1], "graph" in sys.argv[2:]
model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(40)]).cuda()
adam = torch.optim.Adam(model.parameters(), capturable=True)
batch = torch.randn(32, 64, device="cuda")


def learn():
    adam.zero_grad(set_to_none=True)
    loss = model(batch).square().mean()
    loss.backward()
    adam.step()
    return loss


def augment():
    return numpy.sort(numpy.random.rand(200000)).astype("float32")[:2048]


class Made(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, i):
        return augment()


def captured():
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            learn()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = learn()
    return graph, loss


def fetch(loss):
    value = loss.item(); line = inspect.currentframe().f_lineno
    return line


def train(step):
    loader = torch.utils.data.DataLoader(Made(), batch_size=None, num_workers=2)
    source = iter(loader) if kind == "loader" else None
    fetched, line = 0, 0
    begin = time.monotonic()
    for _ in range(STEPS):
        if kind == "input":
            batch.copy_(torch.from_numpy(augment()).view(32, 64))
        elif source:
            batch.copy_(torch.as_tensor(next(source)).view(32, 64))
        loss = step()
        for _ in range(3 if kind == "items" else 1):
            line = fetch(loss)
            fetched += 1
    torch.cuda.synchronize()
    print("steps", STEPS, "%.6f" % (time.monotonic() - begin))
    print("fetched", fetched, "torch-host.py:%d" % line)


if graphed:
    graph, kept = captured()
    train(lambda: (graph.replay(), kept)[1])
else:
    for _ in range(3):
        learn()
    torch.cuda.synchronize()
    train(learn)
