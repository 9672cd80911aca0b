#!/usr/bin/env python3
"""allocate.py MEGABYTES [CHILDREN] [SECONDS]: fills so much memory, then starts that many children that share it, says `ready` and stays."""
import os
import sys
import time

megabytes = int(sys.argv[1])
children = int(sys.argv[2]) if len(sys.argv) > 2 else 0
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60
held = [bytes([n % 255 + 1]) * (1024 * 1024) for n in range(megabytes)]
for _ in range(children):
    if os.fork() == 0:
        time.sleep(seconds)
        os._exit(0)
print("ready", flush=True)
time.sleep(seconds)
