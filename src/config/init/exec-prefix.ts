export type ContainerCli = 'docker' | 'podman';

export interface PrefixFacts {
  cli: ContainerCli;
  image: string;
  /** Who owns the work tree. */
  uid: number;
  gid: number;
  /** podman without root: a user namespace, in which whoever runs it is the image's user. */
  keepId: boolean;
  /** Names of the variables with the agent's key and provider. */
  credentials: readonly string[];
  /** Names of `[agent.env]`. */
  env: readonly string[];
  /** Seconds, as `agent.sigterm_grace_s`. */
  stopTimeoutS: number;
}

/** The image's own user, in deploy/Dockerfile. */
const IMAGE_UID = 1000;

const FROM_OUTSIDE = 'without a value: taken from the environment of serve or from env_file, so it is in no process list';

type Line = readonly [tokens: readonly string[], why: string];

/** `exec_prefix` for the [agent] table, each flag with its reason. recipes/ has the longer story. Pure. */
export function execPrefixToml(facts: PrefixFacts): string {
  const { cli, image, credentials, env, stopTimeoutS } = facts;
  const lines: Line[] = [
    [[cli, 'run'], 'agent-runner puts --cidfile, labels, its AGENT_RUNNER_* names and /run/agent-runner right behind it'],
    [['--rm'], 'the container goes with the round; without it each round leaves one behind'],
    [['-i'], 'standard input stays open: the prompt comes that way. Never -t (there is no terminal), never -d (it looks done at once)'],
    [
      ['--init'],
      `an init as process 1 passes signals on and reaps orphans${cli === 'podman' ? '; podman needs the package catatonit for it' : ''}`,
    ],
    [['--pull', 'never'], 'a missing image is an error at start, not a download in the middle of the night'],
    [['--stop-timeout', String(stopTimeoutS)], 'seconds from TERM to KILL when somebody else stops it'],
    ...identity(facts),
    [['-e', 'HOME=/home/agent'], 'the home of that user in the image: CLIs write there, and it goes with the container'],
    [['-v', '{work_dir}:/work:Z'], 'the work tree and nothing else of this machine; Z: a label of its own under SELinux'],
    [['-w', '/work'], 'the agent starts there'],
    ...credentials.map((name): Line => [['-e', name], FROM_OUTSIDE]),
    ...env.map((name): Line => [['-e', name], 'of [agent.env]: what is not named here does not get in']),
    [[image], 'deploy/Dockerfile; what stands behind it is agent.command'],
  ];
  const text = lines.map(([tokens, why]) => `  ${tokens.map((token) => JSON.stringify(token)).join(', ')}, # ${why}`).join('\n');
  return `# Each round in a container of its own. What is not mounted or named here is not there inside: logins, keys, your git identity.
# {work_dir} is filled in. Every flag and every trap: recipes/README.md.
exec_prefix = [
${text}
]
`;
}

function identity({ uid, gid, keepId }: PrefixFacts): Line[] {
  if (keepId) {
    const why =
      'you are the image’s user inside, so new files are yours outside (podman 4.3; older ones: --userns=keep-id and an image with your uid)';
    return [[[`--userns=keep-id:uid=${IMAGE_UID},gid=${IMAGE_UID}`], why]];
  }
  const [u, g] = uid === 0 ? [IMAGE_UID, IMAGE_UID] : [uid, gid];
  const odd = u === IMAGE_UID ? '' : `; build the image with --build-arg AGENT_UID=${u} --build-arg AGENT_GID=${g}`;
  return [[['-u', `${u}:${g}`], `the owner of the work tree: as root its new files would be root’s, and claude refuses root${odd}`]];
}

/** The text of a preset with `prefix` at the end of its [agent] table. Pure. */
export function withExecPrefix(preset: string, prefix: string): string {
  const lines = preset.split('\n');
  const agent = lines.indexOf('[agent]');
  const next = lines.findIndex((line, i) => i > agent && /^\[/.test(line));
  const end = next === -1 ? lines.length : next;
  return [...lines.slice(0, end), ...prefix.trimEnd().split('\n'), '', ...lines.slice(end)].join('\n');
}
