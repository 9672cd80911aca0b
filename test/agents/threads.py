#!/usr/bin/env python3
"""Its main thread ends, which makes the process read as a zombie, while another thread works on."""
import ctypes
import os
import platform
import threading
import time

with open(os.path.join(os.environ["SCENE"], "leader"), "w") as file:
    file.write(f"{os.getpid()}\n")
threading.Thread(target=lambda: time.sleep(300)).start()
time.sleep(0.2)
EXIT = {"x86_64": 60}.get(platform.machine(), 93)
ctypes.CDLL(None).syscall(EXIT, 0)  # not exit_group(2): this ends one thread only
