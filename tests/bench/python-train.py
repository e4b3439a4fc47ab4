# SPDX-License-Identifier: BSD-3-Clause
"""python-train.py STEPS [turns|TABLE] - training with all that PyTorch has to begin work
by: a DataLoader with workers, a step as it is, a compiled one, and one of a CUDA
graph.  Prints the median of the microseconds of each.  With TABLE under
torch.profiler, whose kernels are written there: count, seconds, name.

With `turns`, below copse, also what measuring costs: steps in turns with
copse_pause() and without, in blocks of 20: one process compared with itself."""
import contextlib
import ctypes
import statistics
import sys
import time

try:
    import torch
    from torch import nn
    from torch.profiler import ProfilerActivity, profile
    from torch.utils.data import DataLoader, Dataset
except ImportError:
    sys.stderr.write("skip: needs PyTorch\n")
    sys.exit(77)
if not torch.cuda.is_available():
    sys.stderr.write("skip: needs a GPU that PyTorch can use\n")
    sys.exit(77)

WIDTH, LAYERS, LENGTH, BATCH, WORKERS = 512, 4, 128, 16, 2


class Samples(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        values = [((i * 31 + k * 17) % 1000) / 1000 for k in range(WIDTH)]
        return torch.tensor(values).expand(LENGTH, WIDTH)


def build():
    layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, dropout=0.0,
                                       batch_first=True)
    return nn.TransformerEncoder(layer, LAYERS).cuda()


def train_step(model, optimizer, data):
    loss = model(data).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def infer(model, data):
    with torch.no_grad():
        return model(data).square().mean()


def record_graph(model, data):
    graph, aside = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            infer(model, data)
    torch.cuda.current_stream().wait_stream(aside)
    with torch.cuda.graph(graph):
        infer(model, data)
    return graph


def in_steps(name, steps, loader, one):
    took = []
    for number in range(steps):
        data = next(loader).cuda(non_blocking=True)
        torch.cuda.synchronize()
        start = time.perf_counter()
        one(data)
        torch.cuda.synchronize()
        if number >= steps // 10 + 3:
            took.append(time.perf_counter() - start)
    print("measured", name, "step * us %.2f" % (1e6 * statistics.median(took)))


def in_turns(name, steps, one):
    copse = ctypes.CDLL(None)
    if not hasattr(copse, "copse_pause"):
        return
    took = [], []
    for block in range(2 * max(steps // 20, 1)):
        paused = block % 2
        if paused:
            copse.copse_pause()
        for number in range(20):
            torch.cuda.synchronize()
            start = time.perf_counter()
            one()
            torch.cuda.synchronize()
            if number >= 2:
                took[paused].append(time.perf_counter() - start)
        if paused:
            copse.copse_resume()
    measured, paused = map(statistics.median, took)
    print("measured", name, "cost * percent %.3f" %
          (100 * (measured / paused - 1)))


def train(steps, turns):
    torch.manual_seed(1)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    compiled = torch.compile(model, mode="reduce-overhead")
    still = torch.zeros(BATCH, LENGTH, WIDTH, device="cuda")
    graph = record_graph(model, still)
    loader = iter(DataLoader(Samples(), BATCH, num_workers=WORKERS))
    in_steps("eager", steps, loader,
             lambda data: train_step(model, optimizer, data))
    in_steps("compiled", steps, loader, lambda data: infer(compiled, data))
    in_steps("graph", steps, loader,
             lambda data: (still.copy_(data), graph.replay()))
    if turns:
        in_turns("eager", steps, lambda: train_step(model, optimizer, still))
        in_turns("compiled", 5 * steps, lambda: infer(compiled, still))
        in_turns("graph", 5 * steps, graph.replay)
    torch.cuda.synchronize()


def write_kernels(path, session):
    sums = {}
    for event in session.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and \
                not event.name.startswith(("Memcpy", "Memset")) and \
                not event.is_user_annotation:
            count, time = sums.get(event.name, (0, 0.0))
            sums[event.name] = count + 1, time + event.device_time * 1e-6
    with open(path, "w") as out:
        for name, (count, time) in sums.items():
            out.write("%d\t%.9f\t%s\n" % (count, time, name))


def main():
    session = contextlib.nullcontext()
    turns = sys.argv[2:] == ["turns"]
    table = None if turns else sys.argv[2:]
    if table:
        session = profile(activities=[ProfilerActivity.CPU,
                                      ProfilerActivity.CUDA])
    with session:
        train(int(sys.argv[1]), turns)
    if table:
        write_kernels(*table, session)


if __name__ == "__main__":
    main()
