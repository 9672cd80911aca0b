#!/bin/sh
# Answers TERM by starting a cleaner that nobody has seen before and that ignores TERM itself.
trap 'setsid sh -c "trap \"\" TERM; echo \$\$ > \"\$SCENE/cleaner\"; while :; do sleep 0.1; done" > /dev/null 2>&1 & while [ ! -s "$SCENE/cleaner" ]; do sleep 0.02; done; exit 0' TERM
echo ready
while :; do sleep 0.05; done
