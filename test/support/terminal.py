# Runs a program at a terminal of its own: `terminal.py FOLDER PROGRAM ARGUMENT...`. A file FOLDER/type is typed (and removed), a file
# FOLDER/hang-up closes the terminal. The output goes to FOLDER/terminal; FOLDER/exit holds the exit code in the end.
import os, pty, select, sys

folder, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
output = open(folder + "/terminal", "wb", buffering=0)
while True:
    if terminal is not None:
        if select.select([terminal], [], [], 0.03)[0]:
            try:
                output.write(os.read(terminal, 4096))
            except OSError:
                pass
        if os.path.exists(folder + "/type"):
            with open(folder + "/type", "rb") as typed:
                os.write(terminal, typed.read())
            os.unlink(folder + "/type")
        if os.path.exists(folder + "/hang-up"):
            os.close(terminal)
            terminal = None
    done, status = os.waitpid(pid, os.WNOHANG if terminal is not None else 0)
    if done:
        break
with open(folder + "/exit.new", "w") as file:
    file.write(str(os.waitstatus_to_exitcode(status)))
os.rename(folder + "/exit.new", folder + "/exit")
