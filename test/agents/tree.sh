#!/bin/sh
# A leader, a shell and a writer below it; the writer proves that it lives by a growing file.
echo $$ > "$SCENE/leader"
sh -c 'echo $$ > "$SCENE/middle"; sh -c "echo \$\$ > \"\$SCENE/writer\"; while :; do echo beat >> \"\$SCENE/beats\"; sleep 0.05; done"; :'
