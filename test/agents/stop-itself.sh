#!/bin/sh
# A member that is stopped, as by job control, and a leader that waits for it. The trap shows that TERM reached the member at last; it
# ignores the HUP that the kernel sends to a stopped group when its leader dies.
sh -c 'trap "" HUP; trap "echo got TERM; exit 0" TERM; echo $$ > "$SCENE/stopped"; kill -STOP $$; while :; do sleep 0.1; done' &
wait
