#!/usr/bin/env python3
"""subreaper.py COMMAND...: runs the command as a parent that takes in all its orphans and never reaps one, like a bad PID 1."""
import ctypes
import os
import sys

PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
command = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status = os.waitpid(command, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
