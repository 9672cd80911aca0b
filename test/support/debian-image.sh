#!/bin/bash
# debian-image.sh IMAGE: makes IMAGE on the engine in DOCKER_HOST, a stand-in for Docker Hub's node:*-bookworm-slim that needs no image
# registry: Debian 12 from debootstrap with the packages that deploy/Dockerfile would install, this machine's Node and npm, and, as there,
# a user `node` with uid 1000. About 50 s the first time (root, Debian packages only), then from the cache: 5 s.
# debian-image.sh cache: makes what lasts the first time, without an engine.
set -euo pipefail
IMAGE=${1:?image, or cache}
CACHE=${AGENT_RUNNER_TEST_DEBIAN:-/var/cache/agent-runner-test-debian.tar}

if [ "$IMAGE" = cache ]; then
  if [ -s "$CACHE" ]; then exit 0; fi
elif docker image inspect "$IMAGE" >/dev/null 2>&1; then exit 0; fi
ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
if [ -s "$CACHE" ]; then
  tar -C "$ROOT" -xf "$CACHE"
else
  command -v debootstrap >/dev/null || { apt-get update -qq; DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap; } >&2
  debootstrap --variant=minbase --include=ca-certificates,git,procps,tini,util-linux bookworm "$ROOT" >&2
  rm -rf "$ROOT"/var/cache/apt/archives/*.deb "$ROOT"/var/lib/apt/lists/* "$ROOT"/usr/share/{doc,locale,man}/*
  chroot "$ROOT" useradd --create-home --uid 1000 --shell /bin/bash node
  # Another run of this script may be doing the same: the last one to rename wins, and both are whole.
  tar -C "$ROOT" -cf "$CACHE.$$" .
  mv "$CACHE.$$" "$CACHE"
fi
if [ "$IMAGE" = cache ]; then exit 0; fi

NODE=$(readlink -f "$(command -v node)")
mkdir -p "$ROOT/usr/local/bin" "$ROOT/usr/local/lib/node_modules"
cp "$NODE" "$ROOT/usr/local/bin/node"
for library in $(ldd "$NODE" | grep -o '/[^ ]*'); do
  [ -e "$ROOT$library" ] || { mkdir -p "$ROOT$(dirname "$library")"; cp -L "$library" "$ROOT$library"; }
done
NPM=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
cp -a "$NPM" "$ROOT/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$ROOT/usr/local/bin/npm"
# Its mode becomes that of / in the image: with 0700 nobody but root finds anything there.
chmod 755 "$ROOT"
tar -C "$ROOT" -c . | docker import -c 'CMD ["node"]' -c 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$IMAGE" >/dev/null
