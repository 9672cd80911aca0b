#!/usr/bin/env python3
"""A member in a session of its own whose child is dead and never reaped; both are left behind."""
import os
import time

if os.fork() == 0:
    child = os.fork()
    if child == 0:
        os._exit(0)
    with open(os.path.join(os.environ["SCENE"], "zombie"), "w") as file:
        file.write(f"{child}\n")
    time.sleep(300)
time.sleep(0.5)
