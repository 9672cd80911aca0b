#!/bin/sh
# Ends in order on INT, as a CLI does that finishes its turn; TERM would be a failure. A helper in the background ignores INT, as sh does.
trap 'echo finished the turn; exit 0' INT
trap 'exit 9' TERM
sleep 300 &
echo ready
while :; do sleep 0.05; done
