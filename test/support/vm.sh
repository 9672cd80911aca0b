#!/bin/sh
# A virtual machine with a pure cgroup v2, for tests that need its memory controller. Debian, amd64, no KVM needed.
#   eval "$(test/support/vm.sh prepare DIR)"   makes the kernel and a small system in DIR (as root the packages too) and sets AGENT_RUNNER_TEST_VM
#   test/support/vm.sh run DIR FOLDER [S]      boots it with FOLDER at /payload, runs /payload/run.sh as root there; its console is our output
set -eu

say() { echo "$*" >&2; }

prepare() {
  dir=$1
  mkdir -p "$dir"
  for tool in qemu-system-x86_64 cpio busybox; do
    command -v "$tool" >/dev/null && continue
    say "installing qemu-system-x86, cpio, busybox-static"
    apt-get install -y --no-install-recommends qemu-system-x86 cpio busybox-static >&2
  done
  if [ ! -e "$dir/vmlinuz" ]; then
    package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)
    (cd "$dir" && { apt-get download "$package" >&2 || apt-get download "$(apt-cache search --names-only '^linux-image-[0-9.-]*-cloud-amd64$' | sed 's/ .*//' | sort -V | tail -1)" >&2; })
    dpkg-deb --fsys-tarfile "$dir"/linux-image-*.deb | tar -x -C "$dir" --wildcards --strip-components=2 './boot/vmlinuz-*'
    mv "$dir"/vmlinuz-* "$dir/vmlinuz"
    rm -f "$dir"/linux-image-*.deb
  fi
  [ -e "$dir/system.cpio" ] || system "$dir"
  echo "export AGENT_RUNNER_TEST_VM='$dir'"
}

# busybox, Node, git and what a supervisor calls, each with its libraries.
system() {
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/etc" "$root/root" "$root/usr/bin"
  cp "$(command -v busybox)" "$root/bin/busybox"
  for name in $(busybox --list); do [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"; done
  for tool in node git flock mkfifo unshare setpriv; do
    path=$(readlink -f "$(command -v "$tool")")
    rm -f "$root/bin/$tool"
    cp "$path" "$root/bin/$tool"
    for library in $(ldd "$path" | grep -o '/[^ ]*'); do
      mkdir -p "$root$(dirname "$library")"
      cp -Ln "$library" "$root$library"
    done
  done
  ln -s /bin/env "$root/usr/bin/env"
  mkdir -p "$root/usr/lib/git-core" "$root/usr/share/git-core/templates"
  ln -s /bin/git "$root/usr/lib/git-core/git"
  printf 'root:x:0:0::/root:/bin/sh\nagent:x:1000:1000::/tmp/home:/bin/sh\n' > "$root/etc/passwd"
  printf 'root:x:0:\nagent:x:1000:\n' > "$root/etc/group"
  cat > "$root/init" <<'INIT'
#!/bin/sh
export PATH=/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd 2>/dev/null
sh /payload/run.sh 2>&1
poweroff -f
INIT
  chmod 755 "$root" "$root/init"
  (cd "$root" && find . | cpio -o -H newc --quiet) > "$1/system.cpio.new"
  mv "$1/system.cpio.new" "$1/system.cpio"
}

run() {
  dir=$1
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/root"
  cp -R "$2" "$work/root/payload"
  chmod -R a+rX "$work/root"
  (cd "$work/root" && find . | cpio -o -H newc --quiet) > "$work/payload.cpio"
  cat "$dir/system.cpio" "$work/payload.cpio" > "$work/initrd"
  timeout --kill-after=5 "${3:-120}" qemu-system-x86_64 -accel tcg -cpu max -m 1024 -smp 2 -nodefaults -no-reboot -display none -serial stdio \
    -kernel "$dir/vmlinuz" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet loglevel=1 panic=-1 psi=1 cgroup_no_v1=all" < /dev/null
}

verb=${1:-}
[ $# -gt 0 ] && shift
case $verb in
  prepare) prepare "$@" ;;
  run) run "$@" ;;
  *) say "usage: vm.sh prepare DIR | vm.sh run DIR FOLDER [SECONDS]"; exit 2 ;;
esac
