#!/usr/bin/env python3
"""bytewise.py TEXT: writes the text and a newline byte by byte, each byte a write of its own."""
import os
import sys
import time

for byte in (sys.argv[1] + "\n").encode():
    os.write(1, bytes([byte]))
    time.sleep(0.001)
