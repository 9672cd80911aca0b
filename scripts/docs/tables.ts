import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CLASSIFICATIONS } from '../../src/agents/provider-error.ts';
import { ADAPTERS } from '../../src/agents/registry.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { LATER_VERBS, VERBS } from '../../src/cli/verbs.ts';
import { configurationTable } from '../../src/config/docs.ts';
import { parseConfig } from '../../src/config/load.ts';
import { migrationRows } from '../../src/config/migrate/docs.ts';
import { CHECKS } from '../../src/doctor/list.ts';
import { GUARDS } from '../../src/drill/list.ts';
import { eventsTable } from '../../src/events/docs.ts';
import { PEEK_STATES } from '../../src/observe/peek/situation.ts';
import { CONSEQUENCES } from '../../src/round/consequences.ts';
import { defenses } from '../../src/serve/defenses.ts';
import { ERROR_CODES } from '../../src/util/error-codes.ts';
import { EXIT } from '../../src/util/exit-codes.ts';
import { type Cell, MEANS, type Means, type Measured, TRICKS, type Trick } from '../../test/support/tricks.ts';
import { hookInputs, hookSchemas } from './hooks.ts';

/** What stands between `<!-- generated:NAME -->` and `<!-- /generated -->`, by name. */
export const TABLES: Record<string, () => string | Promise<string>> = {
  'exit-codes': exitCodes,
  'error-codes': errorCodes,
  commands,
  configuration: configurationTable,
  events: eventsTable,
  'later-verbs': () => LATER_VERBS.map((verb) => `\`${verb}\``).join(', '),
  'peek-states': () =>
    table(
      ['state', 'meaning'],
      Object.entries(PEEK_STATES).map(([state, meaning]) => [`\`${state}\``, meaning]),
    ),
  outcomes,
  guards,
  hiding,
  agents,
  'agent-hosts': agentHosts,
  'agent-usage': agentUsage,
  classifications: () =>
    table(
      ['classification', 'meaning'],
      Object.entries(CLASSIFICATIONS).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
  'doctor-checks': () =>
    table(
      ['check', 'what it looks at'],
      CHECKS.map(({ name, what }) => [`\`${name}\``, what]),
    ),
  'hook-inputs': hookInputs,
  'hook-schemas': hookSchemas,
  'drill-guards': () =>
    table(
      ['guard', 'what is shown'],
      GUARDS.map(({ name, what }) => [name, what]),
    ),
  transforms: () => table(['transform', 'since', 'does', 'what it is about'], migrationRows()),
};

/** A Markdown table; a `|` within a cell is escaped. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function exitCodes(): string {
  const rows = Object.values(EXIT).map(({ code, meaning, final }) => [
    String(code),
    meaning,
    final ? 'no' : code === 0 ? 'no (clean)' : 'yes',
  ]);
  return table(['code', 'meaning', 'restarted by a service manager'], rows);
}

function errorCodes(): string {
  const entries: [string, { title: string; cause: string; remedy: string }][] = Object.entries(ERROR_CODES);
  return entries.map(([code, { title, cause, remedy }]) => `### ${code}: ${title}\n\n${cause}\n\n*What to do:* ${remedy}\n`).join('\n');
}

function commands(): string {
  const program = buildProgram(() => {});
  const groups = [...new Set(VERBS.map(({ group }) => group))];
  const overview = groups.map((group) => {
    const rows = VERBS.filter((verb) => verb.group === group).map(({ name, summary }) => [`[\`${name}\`](#${name})`, summary]);
    return `**${group}**\n\n${table(['verb', 'what it does'], rows)}`;
  });
  const flags = `**Flags of every verb**, before or after it\n\n${optionTable(program)}`;
  const details = program.commands.map(
    (command) => `### ${command.name()}\n\n\`${usageOf(command)}\`\n\n${command.description()}\n${argumentsOf(command)}`,
  );
  return [...overview, flags, ...details].join('\n\n');
}

function usageOf(command: Command): string {
  const argument = command.registeredArguments[0];
  const flags = command.options.map((option) => ` [${option.flags}]`).join('');
  return `agent-runner ${command.name()}${argument === undefined ? '' : ` [${argument.name()}]`}${flags}`;
}

function argumentsOf(command: Command): string {
  const argument = command.registeredArguments[0];
  const rows = command.options.map((option): string[] => [`\`${option.flags}\``, option.description]);
  if (argument !== undefined) rows.unshift([`\`${argument.name()}\``, argument.description]);
  return rows.length === 0 ? '' : `\n${table(['flag', 'meaning'], rows)}\n`;
}

function optionTable(command: Command): string {
  const rows = command.options.map((option) => [`\`${option.flags}\``, option.description]);
  return table(['flag', 'meaning'], [...rows, ['`-h, --help`', 'print help']]);
}

function outcomes(): string {
  const change = { add: '+1', reset: 'reset', keep: '' };
  const rows = Object.entries(CONSEQUENCES).map(([outcome, row]) => [
    `\`${outcome}\``,
    String(EXIT[row.exit].code),
    change[row.crash],
    change[row.noProgress],
    change[row.stall],
    change[row.auth],
    change[row.memory],
    change[row.environment],
    row.tree,
    row.delay,
    row.person,
  ]);
  return table(
    ['outcome', '`round` exits', 'crash', 'no progress', 'stall', 'auth', 'memory', 'environment', 'dirty tree', 'next delay', 'person'],
    rows,
  );
}

/** With the defaults of the configuration, on a host that has everything. */
function guards(): string {
  const text =
    '[agent]\ncommand = ["claude"]\nprompt_arg_template = ["{prompt}"]\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';
  const list = defenses(parseConfig(text, '/project/agent-runner.toml'), {
    hasProc: true,
    hasFifo: true,
    leaf: { available: true, reason: null, kill: true, memory: true },
    memory: 'pressure',
  });
  const rows = list.map(({ name, value, codifies, guarded_by }) => [name, value, codifies, `\`${guarded_by}\``]);
  return table(['guard', 'rule by default', 'what taught it', 'held by'], rows);
}

/** Measured by test/integration/run/hiding.test.ts, which also holds it. */
function hiding(): string {
  const measured = JSON.parse(readFileSync(new URL('../../test/fixtures/isolation.json', import.meta.url), 'utf8')) as Measured;
  const words = ({ running, exited }: Record<'running' | 'exited', Cell>) => {
    if (running.lives && exited.lives) return '**lives on**';
    if (exited.lives) return `gone in ${running.ms} ms; **lives on** when the agent has exited`;
    return `gone in ${Math.max(running.ms, exited.ms)} ms`;
  };
  const means = Object.keys(MEANS) as Means[];
  return table(
    ['the tool has', ...means.map((one) => MEANS[one])],
    (Object.keys(TRICKS) as Trick[]).map((trick) => [TRICKS[trick], ...means.map((one) => words(measured[trick][one]))]),
  );
}

function agents(): string {
  const yes = (value: boolean | string) => (typeof value === 'string' ? value : value ? 'yes' : 'no');
  const rows = ADAPTERS.map(({ name, title, cooperativeStop, understands }) => [
    `\`${name}\``,
    title,
    understands.end ?? 'none',
    yes(understands.tokens),
    yes(understands.cost),
    yes(understands.toolCalls),
    understands.errors === 'records' ? 'records' : 'last lines of a failed run',
    understands.retries ?? 'silent',
    cooperativeStop ?? 'none',
    understands.recorded.join(', ') || 'none',
  ]);
  const head = [
    'adapter',
    'CLI',
    'what ends a turn',
    'tokens',
    'cost',
    'tool calls',
    'limits, logins, errors from',
    'its own retries',
    'stop signal',
    'recorded versions',
  ];
  return table(head, rows);
}

function agentUsage(): string {
  const yes = (told: boolean | string) => (told === true ? 'yes' : told === false ? 'no' : told);
  return table(
    ['adapter', 'tokens', 'cost', '`max_tokens_per_day`', '`max_cost_usd_per_day`, `max_cost_usd_total`'],
    ADAPTERS.map(({ name, understands: { tokens, cost } }) => [
      `\`${name}\``,
      yes(tokens),
      yes(cost),
      tokens ? 'kept' : 'refused',
      cost === true ? 'kept' : cost === false ? 'refused' : 'kept, with a warning',
    ]),
  );
}

function agentHosts(): string {
  const list = (items: readonly string[]) => items.map((item) => `\`${item}\``).join(', ') || 'none known';
  const rows = ADAPTERS.filter(({ name }) => name !== 'custom' && name !== 'demo').map(({ name, hosts, credentials }) => [
    `\`${name}\``,
    list(hosts),
    list(credentials.env),
    list(credentials.files.map((file) => `~/${file}`)),
  ]);
  return table(['adapter', 'hosts', 'variables with credentials', 'files with credentials'], rows);
}
