# SPDX-License-Identifier: BSD-3-Clause
"""Sorting of service messages by a catalogue of signatures, with hourly rates."""
import random
import re
import sys
from collections import Counter, defaultdict

SERVICES = ["auth", "billing", "cart", "ledger", "media", "notify", "orders", "search", "stock", "users"]
VERBS = ["timeout", "refused", "retry", "stale", "rejected", "expired", "missing", "overflow"]


class Signature:
    def __init__(self, number, service, verb, host):
        self.number = number
        self.service = service
        self.text = (rf"^{service}\[(?P<pid>\d+)\]: {verb} (?:on|at|from) {host}"
                     rf"(?::(?P<port>\d{{2,5}}))? code=(?P<code>[0-9a-f]{{2,8}})(?:\s+after (?P<ms>\d+) ?ms)?")

    def parse(self, message):
        found = re.match(self.text, message)
        return found.groupdict() if found else None


class Catalogue:
    def __init__(self):
        self.by_service = defaultdict(list)
        number = 0
        for host in range(24):
            for service in SERVICES:
                for verb in VERBS:
                    self.by_service[service].append(Signature(number, service, verb, f"node{host:02d}"))
                    number += 1

    def identify(self, service, message):
        for signature in self.by_service[service]:
            fields = signature.parse(message)
            if fields is not None:
                return signature, fields
        return None, None


def make_lines(count, seed):
    rng = random.Random(seed)
    for n in range(count):
        service = rng.choice(SERVICES)
        code = f"{rng.randrange(1 << 20):x}".zfill(2)
        yield (f"{n // 50:06d} {service}[{rng.randrange(100, 9999)}]: {rng.choice(VERBS)} "
               f"{rng.choice(['on', 'at', 'from'])} node{rng.randrange(25):02d}:{rng.randrange(10, 9999)} "
               f"code={code} after {rng.randrange(1, 3000)} ms")


class Rates:
    def __init__(self):
        self.count = Counter()
        self.delay = defaultdict(list)
        self.hours = Counter()

    def note(self, second, signature, fields):
        self.count[signature.number] += 1
        self.hours[second // 60] += 1
        self.delay[signature.service].append(int(fields["ms"]))

    def median(self, service):
        values = sorted(self.delay[service])
        return values[len(values) // 2] if values else 0


def split(line):
    stamp, message = line.split(" ", 1)
    return int(stamp), message[:message.index("[")], message


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    catalogue, rates, unknown = Catalogue(), Rates(), 0
    for line in make_lines(count, 12):
        second, service, message = split(line)
        signature, fields = catalogue.identify(service, message)
        if signature is None:
            unknown += 1
        else:
            rates.note(second, signature, fields)
    medians = " ".join(f"{s}={rates.median(s)}" for s in SERVICES)
    print(f"{sum(rates.count.values())} known, {unknown} unknown, {len(rates.count)} signatures; {medians}")


if __name__ == "__main__":
    main()
