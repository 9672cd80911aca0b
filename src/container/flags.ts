/**
 * Which flags of docker, podman and nerdctl take their value as the next token. One union for the three: no letter and no name means
 * "value" in one of them and "switch" in another at the same place. Source: `--help` of docker 28.2, podman 4.3 (5.x added), nerdctl 2.x.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Flags between the engine's name and its sub-command, that take a value. */
export const GLOBAL_VALUE_FLAGS = words(`
  -H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey
  --connection --url --identity --ssh --root --runroot --runtime --runtime-flag --storage-driver --storage-opt --tmpdir --imagestore
  --cgroup-manager --conmon --events-backend --hooks-dir --namespace --network-cmd-path --network-config-dir --volumepath --module --out
  --db-backend --registries-conf --default-mounts-file --cpu-profile --memory-profile --tls-ca --tls-cert --tls-key --cdi-spec-dir
  -a --address -n --snapshotter --data-root --cni-path --cni-netconfpath --hosts-dir --host-gateway-ip --bridge-ip --cdi-spec-dirs
  --userns-remap`);

/** Single letters that are switches among `run`'s own options; they may stand in a cluster (`-it`). Every other letter takes a value. */
export const RUN_SWITCH_LETTERS: ReadonlySet<string> = new Set(['i', 't', 'd', 'P', 'q']);

/** Long options of `run` that are switches: a value, if any, is glued on (`--rm=false`). */
export const RUN_SWITCHES = words(`
  --interactive --tty --detach --rm --init --sig-proxy --privileged --read-only --publish-all --quiet --no-healthcheck
  --oom-kill-disable --disable-content-trust --use-api-socket --help
  --env-host --http-proxy --no-hosts --no-hostname --passwd --read-only-tmpfs --replace --rmi --rootfs --tls-verify --unsetenv-all
  --insecure-registry`);

/** Long options of `run` that take a value. A long option in neither list is one that we do not know: see `options.ts`. */
export const RUN_VALUE_OPTIONS = words(`
  --add-host --annotation --arch --attach --authfile --blkio-weight --blkio-weight-device --cap-add --cap-drop --cgroup-conf
  --cgroup-parent --cgroupns --cgroups --chrootdirs --cidfile --conmon-pidfile --cpu-count --cpu-percent --cpu-period --cpu-quota
  --cpu-rt-period --cpu-rt-runtime --cpu-shares --cpus --cpuset-cpus --cpuset-mems --creds --decryption-key --detach-keys --device
  --device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps --device-write-iops --dns --dns-opt --dns-option
  --dns-search --domainname --entrypoint --env --env-file --env-merge --expose --gidmap --gpus --group-add --group-entry --health-cmd
  --health-interval --health-log-destination --health-max-log-count --health-max-log-size --health-on-failure --health-retries
  --health-start-interval --health-start-period --health-startup-cmd --health-startup-interval --health-startup-retries
  --health-startup-success --health-startup-timeout --health-timeout --hostname --hosts-file --hostuser --image-volume --init-binary
  --init-ctr --init-path --intel-rdt-closid --io-maxbandwidth --io-maxiops --ip --ip6 --ipc --ipfs-address --isolation --kernel-memory
  --label --label-file --link --link-local-ip --log-driver --log-level --log-opt --mac-address --memory --memory-reservation
  --memory-swap --memory-swappiness --mount --name --net --net-alias --network --network-alias --oom-score-adj --os --passwd-entry
  --personality --pid --pidfile --pids-limit --platform --pod --pod-id-file --preserve-fd --preserve-fds --publish --pull --rdt-class
  --requires --restart --retry --retry-delay --runtime --sdnotify --seccomp-policy --secret --security-opt --shm-size --shm-size-systemd
  --signature-policy --stop-signal --stop-timeout --storage-opt --subgidname --subuidname --sysctl --systemd --timeout --tmpfs --tz
  --uidmap --ulimit --umask --unsetenv --user --userns --uts --variant --verify --volume --volume-driver --volumes-from --workdir`);

/** The long name of those letters of `run` that we read; other letters only count as "takes a value". */
export const RUN_LETTER_NAMES: Readonly<Record<string, string>> = {
  i: '--interactive',
  t: '--tty',
  d: '--detach',
  P: '--publish-all',
  q: '--quiet',
  a: '--attach',
  c: '--cpu-shares',
  e: '--env',
  h: '--hostname',
  l: '--label',
  m: '--memory',
  p: '--publish',
  u: '--user',
  v: '--volume',
  w: '--workdir',
};

/** Programs that start another one in their place: how to step over their own words. */
export interface Wrapper {
  /** Options whose value is the next token; letters without a dash may end a cluster (`-nu root`). */
  valueLetters: string;
  valueOptions: ReadonlySet<string>;
  /** Words of their own that stand before the program (`timeout 60 docker …`). */
  positionals: number;
  /** NAME=value words before the program set its environment. */
  assignments: boolean;
}

const wrapper = (valueLetters: string, valueOptions = '', more: Partial<Wrapper> = {}): Wrapper => ({
  valueLetters,
  valueOptions: words(valueOptions),
  positionals: 0,
  assignments: false,
  ...more,
});

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: wrapper(
    'ugpCrtTURDh',
    '--user --group --prompt --close-from --role --type --command-timeout --other-user --chroot --chdir --host',
    { assignments: true },
  ),
  doas: wrapper('uC'),
  env: wrapper('uCS', '--unset --chdir --split-string', { assignments: true }),
  runuser: wrapper('ugGwsc', '--user --group --supp-group --whitelist-environment --shell --command'),
  setpriv: wrapper('', '--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --pdeathsig --selinux-label'),
  nice: wrapper('n', '--adjustment'),
  ionice: wrapper('cn', '--class --classdata'),
  nohup: wrapper(''),
  setsid: wrapper(''),
  stdbuf: wrapper('ioe', '--input --output --error'),
  timeout: wrapper('ks', '--kill-after --signal', { positionals: 1 }),
  'flatpak-spawn': wrapper('', '--directory --env'),
};
