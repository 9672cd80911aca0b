#!/bin/sh
# leave-member.sh term: the leader dies of TERM, its member ignores it. leave-member.sh exit: the leader exits and leaves the member.
(trap '' TERM; echo "$(sh -c 'echo $PPID')" > "$SCENE/member"; while :; do sleep 0.2; done) &
while [ ! -s "$SCENE/member" ]; do sleep 0.02; done
[ "$1" = exit ] && exit 0
while :; do sleep 0.2; done
