#!/usr/bin/env python3
"""flood.py KIND MEGABYTES: writes that much output as fast as it can. KIND: text = lines of 100 bytes, json = the same as JSON
objects, line = one line without a newline. The first line is FIRST, the last is LAST."""
import os
import sys

kind, megabytes = sys.argv[1], int(sys.argv[2])
if kind == "text":
    block = b"".join(b"%07d " % n + b"x" * 91 + b"\n" for n in range(10_000))
elif kind == "json":
    block = b"".join(b'{"type":"stream","n":%07d,"text":"' % n + b"x" * 63 + b'"}\n' for n in range(10_000))
else:
    block = b"y" * 1_000_000


def write(data):
    while data:
        data = data[os.write(1, data):]


write(b"FIRST\n")
for _ in range(megabytes):
    write(block)
write(b"\nLAST\n" if kind == "line" else b"LAST\n")
