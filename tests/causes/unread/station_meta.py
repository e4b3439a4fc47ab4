# SPDX-License-Identifier: BSD-3-Clause
"""Calibrates observations: the coefficients of each station come from a
metadata service on this host, the series are corrected with numpy."""
import os
import socket
import struct
import sys

import numpy as np


def read_exactly(conn, length):
    data = b""
    while len(data) < length:
        part = conn.recv(length - len(data))
        if not part:
            return None
        data += part
    return data


def serve(listener):
    conn, _ = listener.accept()
    while True:
        header = read_exactly(conn, 8)
        if header is None:
            return
        kind, length = struct.unpack("!II", header)
        station = int(read_exactly(conn, length))
        conn.sendall(struct.pack("!4d", 1 + station * 1e-4, 0.01 * kind,
                                 1e-5 * station, 0.5))


def start_service():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    pid = os.fork()
    if pid == 0:
        serve(listener)
        os._exit(0)
    port = listener.getsockname()[1]
    listener.close()
    return pid, port


class MetadataClient:
    def __init__(self, port, joined):
        self.conn = socket.create_connection(("127.0.0.1", port))
        self.joined = joined

    def ask(self, kind, station):
        body = b"%d" % station
        header = struct.pack("!II", kind, len(body))
        if self.joined:
            self.conn.sendall(header + body)
        else:
            self.conn.sendall(header)
            self.conn.sendall(body)
        return struct.unpack("!4d", read_exactly(self.conn, 32))

    def coefficients(self, station):
        return [self.ask(kind, station)[kind] for kind in range(4)]


def calibrate(series, coefficients):
    scale, offset, drift, knee = coefficients
    t = np.arange(series.size)
    fixed = series * scale + offset + drift * np.log1p(t)
    fixed = np.where(fixed > knee, knee + np.tanh(fixed - knee), fixed)
    spectrum = np.abs(np.fft.rfft(fixed - fixed.mean()))
    return float(spectrum[1:200].sum())


def main():
    factor = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    joined = sys.argv[2:] == ["fixed"]
    pid, port = start_service()
    client = MetadataClient(port, joined)
    rng = np.random.default_rng(4)
    base = rng.normal(size=1 << 20)
    total = 0.0
    for station in range(int(24 * factor)):
        total += calibrate(np.roll(base, station), client.coefficients(station))
    client.conn.close()
    os.waitpid(pid, 0)
    print(f"power {total:.6e}")


main()
