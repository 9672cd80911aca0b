#!/usr/bin/env python3
"""hide.py TRICK stay|exit: starts a tool that hides from whoever ends this agent, and stays or exits once that
is done ($SCENE/tool exists then). The tool is `sleep $SECONDS_OF_TOOL`.

TRICK is a list of words: group (a process group of its own), session (a session of its own), orphan (its parent ends at once), deaf
(ignores TERM, INT and HUP), bare (its environment is empty). On TERM the agent itself leaves at once and leaves the tool, as some CLIs do."""
import os
import signal
import sys
import time

tricks = sys.argv[1].split("+")


def become_the_tool():
    if "group" in tricks:
        os.setpgid(0, 0)
    if "session" in tricks:
        os.setsid()
    parent = os.getpid()
    if "orphan" in tricks:
        if os.fork() != 0:
            os._exit(0)
        # Only without its parent it is an orphan: before that a look at the kin still finds it.
        while os.getppid() == parent:
            time.sleep(0.001)
    if "deaf" in tricks:
        for name in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
    path = os.path.join(os.environ["SCENE"], "tool")
    for fd in (0, 1, 2):
        os.close(fd)
    os.close(os.open(path, os.O_CREAT))
    os.execve("/bin/sleep", ["sleep", os.environ["SECONDS_OF_TOOL"]], {} if "bare" in tricks else os.environ)


if os.fork() == 0:
    become_the_tool()
while not os.path.exists(os.path.join(os.environ["SCENE"], "tool")):
    time.sleep(0.01)
if sys.argv[2] == "stay":
    time.sleep(300)
