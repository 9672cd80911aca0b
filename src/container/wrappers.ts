import { basename } from 'node:path';
import { WRAPPERS, type Wrapper } from './flags.ts';

/** What the wrappers before the engine do to its client. */
export interface ClientSetting {
  /** User the client runs as (`sudo -u NAME`), `root` for a plain sudo or doas, null: the supervisor's own. */
  runsAs: string | null;
  /** True when a wrapper empties the environment (`sudo` without -E, `env -i`): value-less `-e NAME` then finds nothing. */
  envScrubbed: boolean;
  /** Names that arrive all the same: `env NAME=value`, `sudo --preserve-env=NAME`. */
  envKept: string[];
}

/** Steps over `sudo`, `env` and their like, nested in any order; `index` is where the program proper stands. */
export function unwrap(argv: readonly string[]): ClientSetting & { index: number } {
  const setting: ClientSetting & { index: number } = { index: 0, runsAs: null, envScrubbed: false, envKept: [] };
  for (;;) {
    const token = argv[setting.index];
    const name = token === undefined ? '' : basename(token);
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (wrapper === undefined) return setting;
    stepOver(name, wrapper, argv, setting);
  }
}

function stepOver(name: string, wrapper: Wrapper, argv: readonly string[], setting: ClientSetting & { index: number }): void {
  const becomesOther = name === 'sudo' || name === 'doas';
  if (becomesOther) Object.assign(setting, { runsAs: 'root', envScrubbed: true, envKept: [] });
  let positionals = wrapper.positionals;
  let at = setting.index + 1;
  for (let token = argv[at]; token !== undefined; token = argv[at]) {
    if (token === '--') {
      at += 1 + positionals;
      break;
    }
    const isFlag = token.startsWith('-');
    const assignment = wrapper.assignments && !isFlag ? /^([A-Za-z_]\w*)=/.exec(token)?.[1] : undefined;
    if (assignment !== undefined) {
      setting.envKept.push(assignment);
      at += 1;
    } else if (isFlag) {
      const flag = readFlag(wrapper, token, argv[at + 1]);
      applyFlag(name, flag, setting);
      at += flag.width;
    } else if (positionals > 0) {
      positionals -= 1;
      at += 1;
    } else {
      break;
    }
  }
  setting.index = at;
}

interface Flag {
  /** Letters of a cluster one by one, or one long name. */
  names: string[];
  value: string | null;
  /** Tokens used, 1 or 2. */
  width: number;
}

function readFlag(wrapper: Wrapper, token: string, next: string | undefined): Flag {
  if (token.startsWith('--')) {
    const [name = token, ...rest] = token.split('=');
    if (rest.length > 0) return { names: [name], value: rest.join('='), width: 1 };
    return wrapper.valueOptions.has(name) ? { names: [name], value: next ?? null, width: 2 } : { names: [name], value: null, width: 1 };
  }
  const letters = [...token.slice(1)];
  const valueAt = letters.findIndex((letter) => wrapper.valueLetters.includes(letter));
  if (valueAt === -1) return { names: letters.map((letter) => `-${letter}`), value: null, width: 1 };
  const names = letters.slice(0, valueAt + 1).map((letter) => `-${letter}`);
  const glued = letters.slice(valueAt + 1).join('');
  return glued === '' ? { names, value: next ?? null, width: 2 } : { names, value: glued, width: 1 };
}

function applyFlag(name: string, flag: Flag, setting: ClientSetting): void {
  const has = (...candidates: string[]) => flag.names.some((candidate) => candidates.includes(candidate));
  if (name === 'sudo' || name === 'doas' || name === 'runuser') {
    if (has('-u', '--user')) setting.runsAs = flag.value;
    if (name === 'sudo' && has('-E', '--preserve-env')) {
      if (has('--preserve-env') && flag.value !== null) setting.envKept.push(...flag.value.split(','));
      else setting.envScrubbed = false;
    }
  }
  if (name === 'setpriv' && has('--reuid')) setting.runsAs = flag.value;
  // A lone `-` means `-i`; its cluster is empty.
  if (name === 'env' && (has('-i', '--ignore-environment') || flag.names.length === 0)) {
    setting.envScrubbed = true;
    setting.envKept = [];
  }
}

/** A client that runs as another ordinary user cannot enter our 0700 folder: then labels alone must do. */
export function clientReachesUs(client: ClientSetting, user: string | undefined): boolean {
  return client.runsAs === null || ['root', '#0', '0'].includes(client.runsAs) || client.runsAs === user;
}
