# SPDX-License-Identifier: BSD-3-Clause
# jax-profile.py - JAX profiles itself (jax.profiler, by a CUPTI that XLA looks up)
# after some steps: it sees the work of all steps that it profiles.
import glob
import gzip
import json
import os
import sys
import tempfile

BEFORE = 10
STEPS = 5


def skip(why):
    sys.stderr.write("skip: %s\n" % why)
    sys.exit(77)


try:
    import jax
    import jax.numpy as jnp
except ImportError:
    skip("needs JAX")
try:
    jax.devices("gpu")
except RuntimeError:
    skip("needs a GPU that JAX can use")


@jax.jit
def step(x):
    return jnp.tanh(x @ x) * 0.5


def steps(count, x):
    for _ in range(count):
        x = step(x)
    return x.block_until_ready()


def work(folder):
    pattern = os.path.join(folder, "**", "*.trace.json.gz")
    seen = 0
    for name in glob.glob(pattern, recursive=True):
        with gzip.open(name) as saved:
            events = json.load(saved)["traceEvents"]
        gpus = {
            event["pid"]
            for event in events
            if event.get("name") == "process_name"
            and "GPU" in event["args"]["name"]
        }
        seen += sum(
            1
            for event in events
            if event.get("ph") == "X" and event["pid"] in gpus
        )
    return seen


def main():
    x = steps(BEFORE, jnp.ones((512, 512), jnp.float32))
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            x = steps(STEPS, x)
        print("the profiler saw", work(folder), "of work")
    print("sum", float(steps(STEPS, x).sum()))


main()
