#!/bin/bash
# An image with a real systemd (Debian 12, made by debootstrap from the machine's own mirror) for tests, on the engine of DOCKER_HOST.
#
#   eval "$(test/support/systemd.sh)"   installs what is missing (Debian, root), makes the image agent-runner-test/systemd:1 when it is
#                                       not there, and exports AGENT_RUNNER_TEST_SYSTEMD (its name)
#
# The first time takes about a minute; the root file system is kept as a tar in $AGENT_RUNNER_TEST_CACHE (default
# /var/cache/agent-runner-test). A container of it boots in one to two seconds (test/support/booted.ts). User u1 (uid 1000) lingers, u2 (1001) does not.
set -euo pipefail

IMAGE=agent-runner-test/systemd:1
CACHE=${AGENT_RUNNER_TEST_CACHE:-/var/cache/agent-runner-test}/systemd-bookworm-1.tar
PACKAGES=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,procps,git,util-linux

make_tar() {
  if ! command -v debootstrap >/dev/null; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >&2
  fi
  local root user
  root=$(mktemp -d)
  debootstrap --variant=minbase --include="$PACKAGES" bookworm "$root" >&2
  chroot "$root" useradd --create-home --uid 1000 --shell /bin/bash u1
  chroot "$root" useradd --create-home --uid 1001 --shell /bin/bash u2
  mkdir -p "$root/var/lib/systemd/linger"
  touch "$root/var/lib/systemd/linger/u1"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  mkdir -p "$(dirname "$CACHE")"
  # Another test run may do the same at this moment: the whole file appears at once or not at all.
  tar -C "$root" -cf "$CACHE.$$" .
  mv "$CACHE.$$" "$CACHE"
  rm -rf "$root"
}

if [ "${1:-}" = cache ]; then
  [ -s "$CACHE" ] || make_tar
  exit 0
fi
if ! docker image inspect "$IMAGE" >/dev/null 2>&1; then
  [ -s "$CACHE" ] || make_tar
  docker import -c 'CMD ["/sbin/init"]' - "$IMAGE" <"$CACHE" >/dev/null
fi
echo "export AGENT_RUNNER_TEST_SYSTEMD=$IMAGE"
