#!/bin/bash
# loopback.sh USER MOCK COMMAND...: COMMAND as USER in a network and PID namespace that has nothing but loopback and, on 127.0.0.1:8099,
# the scripted model server MOCK (mock-model/main.mjs). Nothing inside reaches a network, and nothing survives the end. Needs root.
# LOOPBACK_BIND=FROM:TO shows the folder FROM, which USER may have no way to, at TO: inside only.
set -eu
# The change of user clears the parent-death signal that --kill-child has set: setpriv sets it anew, and tini reaps for both.
exec unshare --net --pid --fork --kill-child --mount-proc -- bash -c '
  set -eu
  user=$1; mock=$2; shift 2
  ip link set lo up
  if [ -n "${LOOPBACK_BIND:-}" ]; then mount --bind "${LOOPBACK_BIND%%:*}" "${LOOPBACK_BIND#*:}"; fi
  exec 3< <(exec node "$mock" 2>&1)
  read -r ready <&3
  [ "$ready" = ready ] || { echo "the model server did not start: $ready" >&2; exit 1; }
  exec tini -s -- setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --inh-caps=-all --pdeathsig KILL -- "$@"
' loopback "$@"
