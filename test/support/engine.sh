#!/bin/bash
# A private Docker engine and a private podman store for tests, with images that are made here: no registry is asked for anything.
#
#   eval "$(test/support/engine.sh start DIR)"   installs what is missing (Debian, root), starts dockerd under DIR, makes the images,
#                                                and exports DOCKER_HOST, AGENT_RUNNER_TEST_PODMAN (argv, split at spaces) and AGENT_RUNNER_TEST_PODMAN_USER
#   test/support/engine.sh stop DIR              removes every container of both stores, ends dockerd by its pid, removes DIR
#
# Images, in docker, podman as root and podman as the ordinary user: agent-runner-test/busybox:1 (all applets, users root and
# agent 1000:1000, /work) and, in docker only, agent-runner-test/git:1 (git too) and agent-runner-test/node:1 (this machine's Node too).
# There is no bridge: run with `--network none`. Always `--pull never`: a missing image makes the engine ask outside.
set -euo pipefail

VERB=${1:?start or stop}
DIR=${2:?directory}
TEST_USER=agent-runner-test
PACKAGES=(docker.io podman busybox-static tini uidmap slirp4netns git util-linux sudo)

install_packages() {
  if command -v dockerd podman busybox tini-static newuidmap git sudo >/dev/null; then return; fi
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${PACKAGES[@]}" >&2
}

# The ordinary user for rootless podman: its subordinate ids come from useradd or, where login.defs turns that off, from here.
make_user() {
  id "$TEST_USER" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$TEST_USER"
  grep -q "^$TEST_USER:" /etc/subuid || usermod --add-subuids 300000-365535 --add-subgids 300000-365535 "$TEST_USER"
  local uid
  uid=$(id -u "$TEST_USER")
  install -d -m 0700 -o "$TEST_USER" "/run/user/$uid"
}

# crun refuses the hybrid cgroups of many CI machines, so runc is named. The store is private: a developer's own containers stay out of it.
PODMAN_FLAGS=(--runtime runc --cgroup-manager cgroupfs)
as_podman() { podman --root "$DIR/podman" --runroot "$DIR/podman-run" --tmpdir "$DIR/podman-tmp" "${PODMAN_FLAGS[@]}" "$@"; }
as_user() {
  runuser -u "$TEST_USER" -- env -C / XDG_RUNTIME_DIR="/run/user/$(id -u "$TEST_USER")" HOME="$(getent passwd "$TEST_USER" | cut -d: -f6)" "$@"
}

start_docker() {
  setsid dockerd --data-root "$DIR/data" --exec-root "$DIR/exec" -H "unix://$DIR/docker.sock" --pidfile "$DIR/pid" \
    --bridge=none --iptables=false --ip-forward=false --ip-masq=false --log-level warn >"$DIR/log" 2>&1 </dev/null &
  for _ in $(seq 150); do
    if docker version >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "dockerd did not answer within 15 s; its log:" >&2
  tail -n 20 "$DIR/log" >&2
  exit 1
}

# A program with every library it needs, into the root file system $1.
add_program() {
  local root=$1 file library
  shift
  for file in "$@"; do
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
    for library in $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*'); do
      mkdir -p "$root$(dirname "$library")"
      cp -Ln "$library" "$root$library"
    done
  done
}

build_roots() {
  local root=$DIR/busybox applet node
  mkdir -p "$root"/{bin,tmp,etc,work}
  chmod 1777 "$root/tmp"
  chmod 777 "$root/work"
  cp "$(command -v busybox)" "$root/bin/busybox"
  # Without the grep the link would overwrite the program itself.
  "$root/bin/busybox" --list | grep -vx busybox | while read -r applet; do ln -s busybox "$root/bin/$applet"; done
  printf 'root:x:0:0::/work:/bin/sh\nagent:x:1000:1000::/work:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nagent:x:1000:\n' >"$root/etc/group"

  cp -a "$root" "$DIR/git"
  add_program "$DIR/git" /usr/bin/git
  mkdir -p "$DIR/git/usr/lib/git-core" "$DIR/git/usr/share/git-core/templates"
  ln -sf /usr/bin/git "$DIR/git/usr/lib/git-core/git"

  cp -a "$root" "$DIR/node"
  node=$(readlink -f "$(command -v node)")
  add_program "$DIR/node" "$node"
  mkdir -p "$DIR/node/usr/local/bin"
  [ -e "$DIR/node/usr/local/bin/node" ] || ln -s "$node" "$DIR/node/usr/local/bin/node"
}

import_images() {
  local name changes=(-c 'CMD ["/bin/sh"]' -c 'ENV PATH=/usr/local/bin:/usr/bin:/bin')
  for name in busybox git node; do
    tar -C "$DIR/$name" -c . | docker import "${changes[@]}" - "agent-runner-test/$name:1" >/dev/null
  done
  tar -C "$DIR/busybox" -cf "$DIR/busybox.tar" .
  chmod 644 "$DIR/busybox.tar"
  chmod 711 "$DIR"
  as_podman import -q -c 'CMD ["/bin/sh"]' -c 'ENV PATH=/usr/local/bin:/usr/bin:/bin' "$DIR/busybox.tar" agent-runner-test/busybox:1 >/dev/null
  as_user podman "${PODMAN_FLAGS[@]}" import -q -c 'CMD ["/bin/sh"]' -c 'ENV PATH=/usr/local/bin:/usr/bin:/bin' \
    "$DIR/busybox.tar" agent-runner-test/busybox:1 >/dev/null
  rm -rf "$DIR"/{busybox,git,node,busybox.tar}
}

start() {
  mkdir -p "$DIR"
  DIR=$(cd "$DIR" && pwd)
  export DOCKER_HOST=unix://$DIR/docker.sock
  install_packages
  make_user
  start_docker
  build_roots
  import_images
  echo "export DOCKER_HOST=$DOCKER_HOST"
  echo "export AGENT_RUNNER_TEST_PODMAN='podman --root $DIR/podman --runroot $DIR/podman-run --tmpdir $DIR/podman-tmp ${PODMAN_FLAGS[*]}'"
  echo "export AGENT_RUNNER_TEST_PODMAN_USER=$TEST_USER"
}

stop() {
  DIR=$(cd "$DIR" && pwd)
  export DOCKER_HOST=unix://$DIR/docker.sock
  local pid left
  left=$(docker ps -aq 2>/dev/null || true)
  [ -z "$left" ] || docker rm -f $left >/dev/null || true
  as_podman rm -fa >/dev/null 2>&1 || true
  as_user podman "${PODMAN_FLAGS[@]}" rm -fa >/dev/null 2>&1 || true
  # Rootless podman keeps a process that holds its user name space; `system migrate` ends it.
  as_user podman "${PODMAN_FLAGS[@]}" system migrate >/dev/null 2>&1 || true
  pid=$(cat "$DIR/pid" 2>/dev/null || true)
  if [ -n "$pid" ]; then
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 150); do
      [ -e "/proc/$pid" ] || break
      sleep 0.1
    done
  fi
  # The engine's own mounts (overlay, network name spaces) outlive a killed engine and would make the removal fail.
  { grep -o " $DIR/[^ ]*" /proc/mounts || true; } | sort -r | while read -r mount; do umount -l "$mount" || true; done
  rm -rf "$DIR"
}

case $VERB in
  start) start ;;
  stop) stop ;;
  *) echo "engine.sh: start or stop, not '$VERB'" >&2; exit 2 ;;
esac
