#!/bin/bash
# A virtual machine with control groups of version 2 and their memory controller, for machines that have only version 1: Debian's cloud
# kernel under QEMU (no KVM needed), an initial file system with busybox and this machine's Node.
#
#   eval "$(test/support/vm.sh)"   installs what is missing (Debian, root), makes the files once, and exports AGENT_RUNNER_TEST_VM (their folder)
#
# The first time takes about 20 s; the files are kept in $AGENT_RUNNER_TEST_CACHE (default /var/cache/agent-runner-test). test/support/vm.ts runs scripts in it.
set -euo pipefail

DIR=${AGENT_RUNNER_TEST_CACHE:-/var/cache/agent-runner-test}/vm-1
NODE=$(readlink -f "$(command -v node)")

install_packages() {
  if command -v qemu-system-x86_64 busybox >/dev/null; then return; fi
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends qemu-system-x86 busybox-static >&2
}

get_kernel() {
  local package part
  # A list that is older than the archive names files that are gone.
  apt-get update -qq >&2
  package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: //p' | head -n 1)
  part=$(mktemp -d)
  (cd "$part" && apt-get download -qq "$package" >&2 && dpkg-deb -x ./*.deb x)
  cp "$part"/x/boot/vmlinuz-* "$1"
  rm -rf "$part"
}

make_root() {
  local root=$1 library
  mkdir -p "$root"/{bin,proc,sys,dev,tmp,script}
  cp "$(command -v busybox)" "$root/bin/busybox"
  mkdir -p "$root$(dirname "$NODE")"
  cp "$NODE" "$root$NODE"
  for library in $(ldd "$NODE" | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
  cat >"$root/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmp /tmp
export PATH=/bin HOME=/tmp
echo VM-BEGIN
$NODE /script/main.mjs
echo "VM-END \$?"
poweroff -f
INIT
  chmod 755 "$root/init"
}

if [ ! -s "$DIR/vmlinuz" ]; then
  install_packages
  mkdir -p "$DIR"
  work=$(mktemp -d)
  make_root "$work/root"
  (cd "$work/root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$work/base.cpio.gz"
  get_kernel "$work/vmlinuz"
  # The kernel last: it says that all is there.
  mv "$work/base.cpio.gz" "$DIR/base.cpio.gz"
  mv "$work/vmlinuz" "$DIR/vmlinuz"
  rm -rf "$work"
fi
install_packages
echo "export AGENT_RUNNER_TEST_VM=$DIR"
