import { nonNegativeInteger, positiveInteger, roundSelector } from './arguments.ts';

/** What every verb is given: the global flags, with the path of the configuration made absolute. */
export interface GlobalOptions {
  config: string;
  /** `--config` was given, so no other source of the project may be tried. */
  configGiven: boolean;
  json: boolean;
  color: boolean;
}

/** Values of the verb's own options, by commander's camel-case name; `undefined` when absent. */
// biome-ignore lint/suspicious/noExplicitAny: commander types option values so; each `run` below gives them their types.
type Values = Record<string, any>;

interface OptionSpec {
  flags: string;
  description: string;
  parse?: (value: string) => unknown;
  choices?: readonly string[];
}

export interface Verb {
  name: string;
  group: 'Set up' | 'Run' | 'Look' | 'Steer';
  summary: string;
  argument?: { spec: string; description: string };
  options: readonly OptionSpec[];
  /** Loads the verb's own file only when it is called: the start of every other verb stays cheap. */
  run: (global: GlobalOptions, values: Values, argument: string | undefined) => Promise<number>;
}

/** The one list of verbs: the command line, the help and docs/commands.md are made from it. */
export const VERBS: readonly Verb[] = [
  {
    name: 'init',
    group: 'Set up',
    summary: 'write agent-runner.toml and a first prompt into this git work tree',
    options: [
      { flags: '--preset <name>', description: 'agent to write the configuration for' },
      { flags: '--detect', description: 'look for installed agents and take the one that is found (the default on a terminal)' },
      {
        flags: '--container <cli>',
        description: 'run each round in a container of its own: write exec_prefix for this CLI and deploy/Dockerfile',
        choices: ['docker', 'podman'],
      },
      {
        flags: '--compose',
        description: 'write deploy/ for docker compose; alone in a project that is set up, keep its configuration and put the grace right',
      },
      { flags: '--force', description: 'overwrite files that are there, keeping them as backups' },
      { flags: '--no-commit', description: 'leave the new files uncommitted' },
    ],
    run: async (global, values) =>
      (await import('./init.ts')).runInit({
        ...global,
        preset: values.preset ?? null,
        detect: values.detect === true,
        container: values.container ?? null,
        compose: values.compose === true,
        force: values.force === true,
        commit: values.commit !== false,
      }),
  },
  {
    name: 'migrate',
    group: 'Set up',
    summary: 'bring a configuration of the Python predecessor (0.1 to 0.3) to what this program accepts; comments stay',
    options: [{ flags: '--dry-run', description: 'print the changes as a diff; write nothing' }],
    run: async (global, values) => (await import('./migrate.ts')).runMigrate({ ...global, dryRun: values.dryRun === true }),
  },
  {
    name: 'upgrade',
    group: 'Set up',
    summary: 'install another version in the place of this one: tried out first, undone when it does not come up',
    options: [
      { flags: '--target <version|file>', description: 'the version of the configured package, or a tarball or folder to install from' },
      { flags: '--no-restart', description: 'replace the package alone; leave the service as it is' },
    ],
    run: async (global, values) =>
      (await import('./upgrade.ts')).runUpgrade({ ...global, target: values.target ?? null, restart: values.restart !== false }),
  },
  {
    name: 'doctor',
    group: 'Look',
    summary: 'check everything that a round depends on, with remedies; starts nothing; exit 1 when a check fails',
    options: [{ flags: '--rounds <n>', description: 'plan so many of the next rounds (default 3)', parse: positiveInteger }],
    run: async (global, values) => (await import('./doctor.ts')).runDoctor({ ...global, rounds: values.rounds ?? 3 }),
  },
  {
    name: 'drill',
    group: 'Look',
    summary: 'let the bundled scripted agent try every guard in your own set-up, on scratch copies; exit 1 when one does not work here',
    options: [],
    run: async (global) => (await import('./drill.ts')).runDrill(global),
  },
  {
    name: 'install',
    group: 'Set up',
    summary: 'make serve a systemd service of this user (or of the machine): enabled, started, watched',
    options: [
      { flags: '--system', description: 'a service of the machine, run as the user who called sudo; enabled, not started' },
      { flags: '--force', description: 'replace a unit of somebody else, and install although lingering is off' },
    ],
    run: async (global, values) =>
      (await import('./install.ts')).runInstall({ ...global, system: values.system === true, force: values.force === true }),
  },
  {
    name: 'uninstall',
    group: 'Set up',
    summary: 'stop the service and remove its unit; configuration, logs and state stay',
    options: [],
    run: async (global) => (await import('./uninstall.ts')).runUninstall(global),
  },
  {
    name: 'round',
    group: 'Run',
    summary: 'run one round now, then exit with a code that says how it went',
    options: [
      { flags: '--phase <name>', description: 'use this phase instead of the one whose turn it is' },
      { flags: '--dry-run', description: 'print what would be started, what serve would wait for, and every check; start nothing' },
    ],
    run: async (global, values) =>
      (await import('./round.ts')).runRound({ ...global, phase: values.phase ?? null, dryRun: values.dryRun === true }),
  },
  {
    name: 'serve',
    group: 'Run',
    summary: 'run round after round until something says stop',
    options: [
      { flags: '--once', description: 'stop after one round' },
      { flags: '--max-rounds <n>', description: 'stop after this many rounds', parse: positiveInteger },
      { flags: '--ignore-schedule', description: 'run outside the configured windows too' },
      {
        flags: '--park',
        description: 'after a stop on purpose (exit 70, 75, 78) stay up, idle and unhealthy, until restarted (for images)',
      },
    ],
    run: async (global, values) =>
      (await import('./serve.ts')).runServe({
        ...global,
        once: values.once === true,
        maxRounds: values.maxRounds ?? null,
        ignoreSchedule: values.ignoreSchedule === true,
        park: values.park === true,
      }),
  },
  {
    name: 'peek',
    group: 'Look',
    summary: 'say in one sentence what happens now, until when, and whether you are needed; then the details',
    options: [
      { flags: '--round <n>', description: "look at this round ('latest' or its number)", parse: roundSelector },
      { flags: '--log', description: "add the last 50 lines of the round's log" },
      { flags: '--events <n>', description: 'add the last n events', parse: nonNegativeInteger },
      { flags: '--select <path>', description: 'print one value of --json, by dotted path (digits index a list)' },
      { flags: '--check', description: 'print the sentence alone; exit 0 when healthy, 1 when not (for health checks)' },
    ],
    run: async (global, values) =>
      (await import('./peek.ts')).runPeek({
        ...global,
        round: values.round ?? null,
        log: values.log === true,
        events: values.events ?? 0,
        select: values.select ?? null,
        check: values.check === true,
      }),
  },
  {
    name: 'status',
    group: 'Look',
    summary: 'say how serve is run here and whether it is up',
    options: [],
    run: async (global) => (await import('./status.ts')).runStatus(global),
  },
  {
    name: 'explain',
    group: 'Look',
    summary: "say what a round's log means: limits, login, usage, how the turn ended, each with the line that led to it",
    argument: {
      spec: '[log]',
      description: 'log of a round (`log_dir/rounds/R<N>-<UTC>.log`), or any output of an agent CLI; without it, that of the newest round',
    },
    options: [
      { flags: '--agent <name>', description: 'read it as this agent’s: a shipped adapter, or the path of a module of your own' },
      { flags: '--exit-code <n>', description: 'how the process ended, where no event tells', parse: nonNegativeInteger },
    ],
    run: async (global, values, argument) =>
      (await import('./explain.ts')).runExplain({
        ...global,
        log: argument ?? null,
        agent: values.agent ?? null,
        exitCode: values.exitCode ?? null,
      }),
  },
  {
    name: 'start',
    group: 'Steer',
    summary: 'start the service; without one, start serve detached from this terminal',
    options: [],
    run: async (global) => (await import('./start.ts')).runStart(global),
  },
  {
    name: 'restart',
    group: 'Steer',
    summary: 'let the running round finish, then start the service anew',
    options: [{ flags: '--force', description: 'end the running round now' }],
    run: async (global, values) => (await import('./restart.ts')).runRestart({ ...global, force: values.force === true }),
  },
  {
    name: 'stop',
    group: 'Steer',
    summary: 'let the running round finish, then stop serve; waits up to 5 s',
    options: [],
    run: async (global) => (await import('./stop.ts')).runStop(global),
  },
  {
    name: 'kill',
    group: 'Steer',
    summary: 'end the running round and serve now, and everything that the round started',
    options: [],
    run: async (global) => (await import('./kill.ts')).runKill(global),
  },
  {
    name: 'pause',
    group: 'Steer',
    summary: 'start no further round until resume, or until a time',
    options: [
      {
        flags: '--until <time>',
        description:
          'when to go on: ISO time or HH:MM, with a zone behind it if it is another than the host’s, or a duration such as 2h30m',
      },
    ],
    run: async (global, values) => (await import('./pause.ts')).runPause({ ...global, until: values.until ?? null }),
  },
  {
    name: 'resume',
    group: 'Steer',
    summary: 'end a pause',
    options: [],
    run: async (global) => (await import('./resume.ts')).runResume(global),
  },
  {
    name: 'wake',
    group: 'Steer',
    summary: 'end the wait that serve is in, and try the next round now',
    options: [],
    run: async (global) => (await import('./wake.ts')).runWake(global),
  },
  {
    name: 'reload',
    group: 'Steer',
    summary: 'adopt a changed configuration before the next round',
    options: [],
    run: async (global) => (await import('./reload.ts')).runReload(global),
  },
  {
    name: 'ack',
    group: 'Steer',
    summary: 'tell serve that you have seen to what it asked a person for',
    argument: {
      spec: '[reason]',
      description: "what was seen to: a reason that peek names, or 'all'; without it, the open ones are listed",
    },
    options: [],
    run: async (global, _values, argument) => (await import('./ack.ts')).runAck({ ...global, reason: argument ?? null }),
  },
];

/** Verbs that are promised: asking for one is answered with that, not with a guess. */
export const LATER_VERBS: readonly string[] = [
  'watch',
  'events',
  'monitor',
  'logs',
  'rounds',
  'undo',
  'report',
  'web',
  'pipeline',
  'sandbox',
  'completion',
];
