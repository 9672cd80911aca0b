#!/bin/sh
# result.sh MODE: says that the turn is finished and then does not leave.
# MODE hang: alone; busy: with a worker that computes; helper: with a child that only waits; brief: with a worker that ends after 2 s.
echo $$ > "$SCENE/leader"
case $1 in
  busy) sh -c 'echo $$ > "$SCENE/worker"; while :; do :; done' & ;;
  helper) sh -c 'echo $$ > "$SCENE/helper"; exec sleep 301' & ;;
  brief) sh -c 'echo $$ > "$SCENE/worker"; exec sleep 2' & ;;
esac
echo '{"type":"result","subtype":"success"}'
wait
exec sleep 300
