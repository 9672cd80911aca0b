import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '../../../src/process/command.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { must } from '../compose.ts';
import type { StoredEvent } from '../project.ts';
import { ROOT } from '../sources.ts';

import { copyProgram, MODEL, makePlace, type Place, recipeConfig, remove, SETUPS, type Setup } from './setups.ts';
import { LATER, SITUATIONS, type Situation, type SituationName } from './situations.ts';
import { type CliName, commandOf, folderOf } from './versions.ts';

/** An unprivileged user of every Debian. */
const USER = 'nobody';

export interface Measured {
  /** Exit codes of the verbs that were run, in order. */
  codes: (number | string)[];
  outcomes: string[];
  /** What the provider refused for and until when, and what serve waited for, and how long: `rate_limit_account (stated: 1 h): throttled 1 h`. */
  wait: string | null;
  usage: string | null;
  person: string[];
  /** Names of the processes that a round's end had to signal; `*`: it had left the group of its agent. */
  ended: string[];
  /** Who lived after all of it: receipts and a look at the namespace. */
  survivors: string[];
  commits: number;
  retries: number;
  recovered: boolean;
  seconds: number;
  /** For a person who looks for the reason of a failure. */
  log: string;
}

/** What bounds the patience of a CLI, where it has such a thing. `command`: words added to its recipe's. */
const BOUNDED: Record<string, Partial<Setup> & { command?: string[] }> = {
  claude: { env: { CLAUDE_CODE_MAX_RETRIES: '2' } },
  // Its provider's client sleeps as long as a server says, and only then tells.
  pi: { home: { ...SETUPS.pi.home, '.pi/agent/settings.json': '{"retry":{"provider":{"maxRetries":0}}}' } },
  qwen: { home: { '.qwen/settings.json': '{"model":{"generationConfig":{"maxRetries":0}}}' } },
  gemini: {
    home: { '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"maxAttempts":3}}' },
    // Unpinned it first asks a small model which model to ask, and that question has five tries of its own.
    command: ['-m', 'gemini-2.5-flash'],
  },
};
/** A login in the place of a key: only an account has a limit with an end. */
const LOGINS: Record<string, Setup['env']> = {
  claude: { ANTHROPIC_BASE_URL: MODEL, CLAUDE_CODE_OAUTH_TOKEN: 'dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
};

interface SceneReport {
  codes: (number | string)[];
  wait: { reason: string; until: string | null; since: string } | null;
  said: string;
  peek: string | null;
  survivors: { pid: number; argv: string }[];
  problem?: string;
}

let program: string | null = null;
export const forgetProgram = () => {
  if (program !== null) remove(program);
  program = null;
};

/** Drives one CLI through one situation, in a namespace with nothing but loopback, and tells what agent-runner made of it. */
export async function measure(cli: CliName, situationName: SituationName): Promise<Measured> {
  const situation: Situation = SITUATIONS[situationName];
  const setup = setupOf(cli, situationName === 'account');
  program ??= copyProgram();
  const words = (BOUNDED[commandOf(cli)]?.command ?? []).map((word) => `, "${word}"`).join('');
  const config = recipeConfig(setup, false)
    .replace(/^command = \[.*(?=\])/m, (command) => command + words)
    .replace('[runtime]', `[runtime]\nrestart_delay_s = 20\nidle_timeout_s = ${situation.idleS ?? 0}`)
    .replace(/round_timeout_s = \d+/, `round_timeout_s = ${situation.timeoutS}`);
  const place = makePlace(setup, config);
  try {
    return await inScene(place, cli, situation, program);
  } finally {
    remove(place.folder);
  }
}

function setupOf(cli: CliName, login: boolean): Setup {
  const command = commandOf(cli);
  const base: Setup = SETUPS[command as keyof typeof SETUPS];
  const more = BOUNDED[command] ?? {};
  const env = (login && LOGINS[command]) || base.env;
  return { ...base, env: { ...env, ...more.env }, home: { ...base.home, ...more.home } };
}

async function inScene(place: Place, cli: CliName, situation: Situation, program: string): Promise<Measured> {
  const { folder, work, home, logs } = place;
  const marker = join(home, 'tmp/tool-works');
  const control = join(home, 'control.json');
  const command = situation.command?.replaceAll('MARKER', marker);
  writeFileSync(control, JSON.stringify({ behaviour: situation.behaviour, command }));
  const scene = {
    main: join(program, 'dist/main.js'),
    args: situation.args,
    drive: situation.drive,
    logs,
    marker,
    control,
    later: LATER,
    limitMs: (situation.timeoutS + 40) * 1000,
  };
  const clis = join(folder, 'cli');
  await must(['mkdir', clis]);
  await must(['chown', '-R', `${USER}:nogroup`, folder]);
  const path = [join(clis, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH: path, HOME: home, TMPDIR: join(home, 'tmp'), LC_ALL: 'C.UTF-8', AGENT_RUNNER_VALIDATE: '1' };
  const server = { MOCK_CONTROL: control, LOOPBACK_BIND: `${folderOf(cli)}:${clis}` };
  const inside: readonly string[] = [process.execPath, join(program, 'test/support/clis/scene.mjs'), JSON.stringify(scene)];
  const since = systemClock.monotonic();
  const { code, stdout, stderr } = await runCommand(
    ['bash', join(ROOT, 'test/support/loopback.sh'), USER, join(program, 'test/support/mock-model/main.mjs'), ...inside],
    { cwd: work, env: { ...env, ...server }, timeoutMs: 2 * scene.limitMs },
  );
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{')) throw new Error(`the scene failed (${code}): ${stdout}${stderr}`);
  return measured(place, JSON.parse(last) as SceneReport, (systemClock.monotonic() - since) / 1000);
}

function measured(place: Place, report: SceneReport, seconds: number): Measured {
  const events = eventsIn(place.logs);
  const of = (kind: string) => events.filter(({ event }) => event === kind);
  const receipts = [...of('round_reaped'), ...of('round_recovered')];

  const logs = readdirSync(join(place.logs, 'rounds')).map((name) => readFileSync(join(place.logs, 'rounds', name), 'utf8'));
  return {
    codes: report.codes,
    outcomes: of('agent_exit').map(({ outcome }) => outcome),
    wait: waitOf(of('transient_error_detected')[0], report.wait),
    usage: usageOf(of('agent_usage_recorded').at(-1)),
    person: [...of('needs_human').map(({ reason }) => String(reason)), ...(of('agent_auth_error_detected').length > 0 ? ['login'] : [])],
    ended: [...new Set(receipts.flatMap(endedIn))].sort(),
    survivors: [
      ...receipts.flatMap(({ survivors = [] }) => survivors.map(({ name }: { name: string }) => name)),
      ...report.survivors.map(({ argv }) => argv),
    ],
    commits: Number(place.git('rev-list', '--count', 'HEAD')) - 1,
    retries: of('round_progress').filter(({ retrying }) => retrying).length,
    recovered: of('round_recovered').length > 0,
    seconds: Math.round(seconds),
    log: [report.problem, report.peek, JSON.stringify(report.wait), report.said, ...events.map((e) => JSON.stringify(e)), ...logs].join(
      '\n',
    ),
  };
}

/** A recovered round has no receipt of groups. */
function endedIn({ signalled, reaped, escaped }: StoredEvent): string[] {
  const gone = new Set((escaped ?? []).map(({ pid }: { pid: number }) => pid));
  return (signalled ?? reaped).map(({ name, pid }: { name: string; pid: number }) => (gone.has(pid) ? `${name}*` : name));
}

/** A stated end lies an hour ahead, as the model server says; an estimate of ours never does. */
function waitOf(event: StoredEvent | undefined, wait: SceneReport['wait']): string | null {
  const ahead = event === undefined || event.reset_at_epoch === 0 ? null : event.reset_at_epoch - Date.parse(event.ts) / 1000;
  const refused = event === undefined ? null : `${event.classification} (${ahead === null ? 'no end stated' : `ends in ${about(ahead)}`})`;
  const waited =
    wait === null ? null : `${wait.reason} ${wait.until === null ? '' : about((Date.parse(wait.until) - Date.parse(wait.since)) / 1000)}`;
  return [refused, waited].filter((part) => part !== null).join(', then ') || null;
}

function about(seconds: number): string {
  if (Math.abs(seconds - 3600) < 200) return '1 h';
  return seconds < 5 ? 'moments' : seconds < 150 ? 'under 150 s' : `${Math.round(seconds / 60)} min`;
}

function usageOf(event: StoredEvent | undefined): string | null {
  if (event === undefined) return null;
  const cost = event.cost_usd === null ? '' : ', priced';
  return `${event.input_tokens} + ${event.cached_tokens} cached, ${event.output_tokens} out${cost}, ${event.tool_call_count} calls`;
}

function eventsIn(logs: string): StoredEvent[] {
  if (!existsSync(logs)) return [];
  return readdirSync(logs)
    .filter((name) => name.startsWith('events-'))
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line));
}
