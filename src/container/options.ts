import { RUN_LETTER_NAMES, RUN_SWITCH_LETTERS, RUN_SWITCHES, RUN_VALUE_OPTIONS } from './flags.ts';
import { type Mount, mountFromMountOption, mountFromVolumeOption } from './mounts.ts';

/** One option of `run`, under its long name, wherever and however it was written. */
interface RunOption {
  name: string;
  /** null for a switch without a glued value. */
  value: string | null;
  /** Index in argv of the token that the option (or its cluster) begins with. */
  index: number;
}

/** What the options of `run` itself say; everything from the image on belongs to the container. */
export interface RunOptions {
  list: RunOption[];
  interactive: boolean;
  tty: boolean;
  detach: boolean;
  rm: boolean;
  init: boolean;
  sigProxy: boolean;
  user: string | null;
  userns: string | null;
  cidfile: string | null;
  network: string | null;
  workdir: string | null;
  memory: string | null;
  pull: string | null;
  mounts: Mount[];
  env: { name: string; value: string | null }[];
  /** Index of the image in argv, null when the argv ends before one. */
  imageIndex: number | null;
}

/** Reads the options between `run` and the image. Pure. */
export function runOptions(argv: readonly string[], runIndex: number): RunOptions {
  const { list, imageIndex } = walk(argv, runIndex + 1);
  // Like the engines' own parser: the last one wins.
  const last = (name: string) => list.findLast((option) => option.name === name);
  const text = (name: string) => last(name)?.value ?? null;
  const on = (name: string, otherwise = false) => {
    const option = last(name);
    return option === undefined ? otherwise : option.value === null || isTrue(option.value);
  };
  const all = (name: string) => list.flatMap((option) => (option.name === name && option.value !== null ? [option] : []));
  return {
    list,
    interactive: on('--interactive'),
    tty: on('--tty'),
    detach: on('--detach'),
    rm: on('--rm'),
    init: on('--init'),
    sigProxy: on('--sig-proxy', true),
    user: text('--user'),
    userns: text('--userns'),
    cidfile: text('--cidfile'),
    network: text('--network') ?? text('--net'),
    workdir: text('--workdir'),
    memory: text('--memory'),
    pull: text('--pull'),
    mounts: [
      ...all('--volume').flatMap((option) => mountFromVolumeOption(option.value ?? '') ?? []),
      ...all('--mount').flatMap((option) => mountFromMountOption(option.value ?? '') ?? []),
    ],
    env: all('--env').map((option) => splitPair(option.value ?? '')),
    imageIndex,
  };
}

function walk(argv: readonly string[], from: number): { list: RunOption[]; imageIndex: number | null } {
  const list: RunOption[] = [];
  let at = from;
  for (let token = argv[at]; token !== undefined; token = argv[at]) {
    if (token === '--') return { list, imageIndex: at + 1 < argv.length ? at + 1 : null };
    if (!token.startsWith('-') || token === '-') return { list, imageIndex: at };
    const width = token.startsWith('--') ? readLong(argv, at, list) : readCluster(argv, at, list);
    at += width;
  }
  return { list, imageIndex: null };
}

function readLong(argv: readonly string[], index: number, list: RunOption[]): number {
  const token = argv[index] ?? '';
  const equals = token.indexOf('=');
  if (equals !== -1) {
    list.push({ name: token.slice(0, equals), value: token.slice(equals + 1), index });
    return 1;
  }
  const next = argv[index + 1];
  // An option that no table knows is newer than this list. Most new ones take a value; one that is followed by a dash does not look so.
  const takesValue = RUN_VALUE_OPTIONS.has(token) || (!RUN_SWITCHES.has(token) && next !== undefined && !next.startsWith('-'));
  list.push({ name: token, value: takesValue ? (next ?? null) : null, index });
  return takesValue ? 2 : 1;
}

/** `-it`, `-itv /a:/b`, `-u1000`, `-i=false`: switches until the first letter that takes a value, which takes the rest. */
function readCluster(argv: readonly string[], index: number, list: RunOption[]): number {
  const letters = (argv[index] ?? '').slice(1);
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters.charAt(at);
    const name = RUN_LETTER_NAMES[letter] ?? `-${letter}`;
    const rest = letters.slice(at + 1);
    if (RUN_SWITCH_LETTERS.has(letter)) {
      if (!rest.startsWith('=')) {
        list.push({ name, value: null, index });
        continue;
      }
      list.push({ name, value: rest.slice(1), index });
      return 1;
    }
    if (rest !== '') {
      list.push({ name, value: rest.replace(/^=/, ''), index });
      return 1;
    }
    list.push({ name, value: argv[index + 1] ?? null, index });
    return 2;
  }
  return 1;
}

/** Go's strconv.ParseBool, which the engines use; what it refuses makes the engine refuse to start. */
function isTrue(value: string): boolean {
  return /^(1|t|T|true|TRUE|True)$/.test(value);
}

function splitPair(text: string): { name: string; value: string | null } {
  const equals = text.indexOf('=');
  return equals === -1 ? { name: text, value: null } : { name: text.slice(0, equals), value: text.slice(equals + 1) };
}
