#!/usr/bin/env python3
"""escape.py METHOD [HOW]: leaves a process that tries to get away, and writes its pid into $SCENE/escapee.

METHOD  setsid         a session of its own, still our child
        group          a process group of its own, as agent CLIs do with their tools
        double-fork    a session of its own and re-parented
        exec           the same, and then another program
HOW     exit (default): we exit then; stay: we wait for our end.
The escapee ignores TERM, INT and HUP."""
import os
import signal
import sys
import time


def live_on():
    for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    for fd in (0, 1, 2):
        os.close(fd)
    path = os.path.join(os.environ["SCENE"], "escapee")
    with open(path + ".new", "w") as file:
        file.write(f"{os.getpid()}\n")
    os.rename(path + ".new", path)
    if method == "exec":
        os.execvp("sleep", ["sleep", "300"])
    time.sleep(300)


method = sys.argv[1]
how = sys.argv[2] if len(sys.argv) > 2 else "exit"
if os.fork() == 0:
    if method == "group":
        os.setpgid(0, 0)
    else:
        os.setsid()
    if method in ("double-fork", "exec") and os.fork() != 0:
        os._exit(0)
    live_on()
while not os.path.exists(os.path.join(os.environ["SCENE"], "escapee")):
    time.sleep(0.01)
if how == "stay":
    time.sleep(300)
