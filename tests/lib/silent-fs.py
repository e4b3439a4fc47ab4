#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""silent-fs.py FOLDER - a file system there that never answers, as one whose
server is gone (FUSE, by root): until it is killed.  Says "mounted"."""
import ctypes
import os
import struct
import sys

INIT = 26


def mount(fd, folder):
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()):
        sys.exit("no FUSE here: " + os.strerror(ctypes.get_errno()))


def answer_init(fd, unique):
    body = struct.pack("IIIIHHII", 7, 31, 65536, 0, 12, 10, 65536, 1)
    body = body.ljust(64, b"\0")
    os.write(fd, struct.pack("IiQ", 16 + len(body), 0, unique) + body)


def main():
    try:
        fd = os.open("/dev/fuse", os.O_RDWR)
    except OSError as error:
        sys.exit(f"no FUSE here: {error}")
    mount(fd, sys.argv[1])
    print("mounted", flush=True)
    while True:
        _, kind, unique = struct.unpack_from("IIQ", os.read(fd, 1 << 17))
        if kind == INIT:
            answer_init(fd, unique)


main()
