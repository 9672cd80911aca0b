import { resolve } from 'node:path';
import { CATALOGUE } from '../events/catalogue.ts';
import type { Draft, PhaseDraft } from './draft.ts';
import { fallbacks } from './fallback-rules.ts';
import { homeFolder } from './paths.ts';
import type { KeyPath, Report } from './problems.ts';
import { scheduleOpens } from './schedule-rules.ts';
import { nearest } from './suggest.ts';

type Rule = (draft: Draft, report: Report) => void;

/** What no key can know alone. A rule speaks only when the keys it needs could be read. */
export const RULES: readonly Rule[] = [
  roundWalls,
  promptSource,
  delivery,
  fallbacks,
  phaseNames,
  phaseTwins,
  repetition,
  logsApart,
  home,
  scheduleOpens,
  notifiedEvents,
];

function roundWalls({ runtime, overrides }: Draft, report: Report): void {
  const tables: [KeyPath, PhaseDraft['runtime']][] = [
    [['runtime'], runtime],
    ...Object.entries(overrides).flatMap(([name, phase]): [KeyPath, PhaseDraft['runtime']][] => [
      [['phases', name], phase],
      [['phases', name, 'runtime'], phase.runtime],
    ]),
  ];
  for (const [path, table] of tables) {
    if (table?.round_timeout_s == null || table.round_budget_s == null) continue;
    report({
      code: 'AR-CFG-016',
      path: [...path, 'round_budget_s'],
      at: 'key',
      message: 'is given together with round_timeout_s, which is the same setting',
      remedy: 'Keep one of the two.',
    });
  }
}

function promptSource({ prompt: { file, files } }: Draft, report: Report): void {
  if (file === undefined || files === undefined) return;
  if (file !== null && files !== null) {
    report({
      code: 'AR-CFG-016',
      path: ['prompt', 'files'],
      at: 'key',
      message: 'is given together with prompt.file',
      remedy: 'Keep one of the two: file for one prompt, files for several.',
    });
  } else if (file === null && files === null) {
    report({
      code: 'AR-CFG-012',
      path: ['prompt', 'file'],
      at: 'key',
      message: 'is missing, and so is prompt.files; accepted: a path in the one, or a list of paths in the other',
      remedy: 'Add file = "prompts/main.md" to [prompt].',
    });
  } else if (files?.length === 0) {
    report({
      code: 'AR-CFG-011',
      path: ['prompt', 'files'],
      at: 'value',
      message: 'found an empty list; accepted: a list of at least one path',
      remedy: 'Name a prompt file. Only a phase may go without a prompt.',
    });
  }
}

function delivery({ agent, overrides }: Draft, report: Report): void {
  checkDelivery(agent, ['agent'], report);
  agent.fallback?.forEach((own, index) => {
    if (own.command != null) checkDelivery(own, ['agent', 'fallback', index], report);
  });
  for (const [name, { agent: own, prompt }] of Object.entries(overrides)) {
    if (own === undefined || (own.prompt_arg_template === undefined && own.prompt_delivery === undefined)) continue;
    checkDelivery({ ...agent, ...own }, ['phases', name, 'agent'], report, prompt?.files?.length === 0);
  }
}

/** `promptless`: a round without a prompt needs no place for one. */
function checkDelivery(
  { prompt_delivery: how, prompt_arg_template: template }: Pick<Draft['agent'], 'prompt_delivery' | 'prompt_arg_template'>,
  path: KeyPath,
  report: Report,
  promptless = false,
): void {
  if (how === undefined || template === undefined) return;
  const carrying = template.findIndex((token) => token.includes('{prompt}'));
  if (how === 'argv' && carrying === -1 && !promptless) {
    report({
      code: 'AR-CFG-019',
      path: [...path, 'prompt_arg_template'],
      at: 'value',
      message: 'no item contains {prompt}, so the agent would never see its prompt; with prompt_delivery = "argv" one must',
      remedy: 'Add an item "{prompt}", or set prompt_delivery = "stdin".',
    });
  }
  if (how === 'stdin' && carrying !== -1) {
    report({
      code: 'AR-CFG-019',
      path: [...path, 'prompt_arg_template', carrying],
      at: 'value',
      message: 'contains {prompt}; with prompt_delivery = "stdin" the prompt never goes into an argument',
      remedy: 'Remove {prompt}, or set prompt_delivery = "argv".',
    });
  }
}

function phaseNames({ phases: { list }, overrides }: Draft, report: Report): void {
  if (list === undefined) return;
  for (const name of Object.keys(overrides)) {
    if (list?.includes(name)) continue;
    const near = nearest(name, list ?? []);
    report({
      code: 'AR-CFG-020',
      path: ['phases', name],
      at: 'key',
      message: list === null ? 'is set, but there is no phases.list' : `is not in phases.list (${list.join(', ')})`,
      remedy: near === null ? `Add ${JSON.stringify(name)} to phases.list, or remove the table.` : `Did you mean [phases.${near}]?`,
    });
  }
}

function phaseTwins({ overrides }: Draft, report: Report): void {
  for (const [name, phase] of Object.entries(overrides)) {
    const wall = (table: PhaseDraft['runtime']) => table?.round_timeout_s ?? table?.round_budget_s;
    const twins: [string, unknown, unknown][] = [
      ['round_timeout_s', wall(phase), wall(phase.runtime)],
      ['disable_pre_round_hooks', phase.disable_pre_round_hooks, phase.runtime?.disable_pre_round_hooks],
    ];
    for (const [key, flat, nested] of twins) {
      if (flat == null || nested == null) continue;
      report({
        code: 'AR-CFG-016',
        path: ['phases', name, 'runtime', key],
        at: 'key',
        message: `is given twice: in [phases.${name}] and in [phases.${name}.runtime]`,
        remedy: 'Keep one of the two.',
      });
    }
  }
}

function repetition({ monitor }: Draft, report: Report): void {
  const { anomaly_repetitive_window: window, anomaly_repetitive_threshold: threshold } = monitor;
  if (window === undefined || threshold === undefined || threshold <= window) return;
  report({
    code: 'AR-CFG-011',
    path: ['monitor', 'anomaly_repetitive_threshold'],
    at: 'value',
    message: `found ${threshold}; accepted: at most anomaly_repetitive_window, which is ${window}`,
    remedy: 'Raise the window or lower the threshold.',
  });
}

/** As log_dir the whole work tree would be our own files: nothing of it could be stashed, committed or counted as progress. */
function logsApart({ runtime: { work_dir: workDir, log_dir: logDir } }: Draft, report: Report): void {
  if (workDir == null || logDir == null || resolve('/', workDir, logDir) !== resolve('/', workDir)) return;
  report({
    code: 'AR-CFG-011',
    path: ['runtime', 'log_dir'],
    at: 'value',
    message: `found ${JSON.stringify(logDir)}, which is work_dir itself; accepted: any other folder`,
    remedy: 'Use a folder outside work_dir, such as "~/.agent-runner/{project}/logs".',
  });
}

/** An event that does not exist would never be told, and nobody would notice. */
function notifiedEvents({ notify }: Draft, report: Report): void {
  for (const [index, name] of (notify?.on ?? []).entries()) {
    if (NOTIFIED.includes(name)) continue;
    const near = nearest(name, NOTIFIED);
    report({
      code: 'AR-CFG-011',
      path: ['notify', 'on', index],
      at: 'value',
      message: `found ${JSON.stringify(name)}; accepted: an event kind of docs/events.md, or "stopped"`,
      remedy: near === null ? 'Take a kind of docs/events.md.' : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
}

const NOTIFIED: readonly string[] = [...Object.keys(CATALOGUE), 'stopped'];

/** One problem is enough, whatever number of paths needs the home folder. */
function home({ agent, runtime, prompt, overrides }: Draft, report: Report): void {
  const paths: [KeyPath, string | null | undefined][] = [
    [['runtime', 'work_dir'], runtime.work_dir],
    [['runtime', 'log_dir'], runtime.log_dir],
    [['runtime', 'stop_file'], runtime.stop_file],
    [['runtime', 'narrative_file'], runtime.narrative_file],
    [['prompt', 'file'], prompt.file],
    ...(prompt.files ?? []).map((file, index): [KeyPath, string] => [['prompt', 'files', index], file]),
    [['agent', 'env_file'], agent.env_file],
    ...(agent.fallback ?? []).map((own, index): [KeyPath, string | null | undefined] => [
      ['agent', 'fallback', index, 'env_file'],
      own.env_file,
    ]),
    ...Object.entries(overrides).flatMap(([name, phase]): [KeyPath, string | null | undefined][] => [
      [['phases', name, 'agent', 'env_file'], phase.agent?.env_file],
      ...(phase.prompt?.files ?? []).map((file, index): [KeyPath, string] => [['phases', name, 'prompt', 'files', index], file]),
    ]),
  ];
  const first = paths.find(([, path]) => path === '~' || path?.startsWith('~/'));
  if (first === undefined || homeFolder() !== null) return;
  report({
    code: 'AR-CFG-021',
    path: first[0],
    at: 'value',
    message:
      'begins with ~, but this process has no home folder: HOME is not an absolute path and the user has no entry in the password file',
    remedy: 'Set HOME, or write the path in full.',
  });
}
