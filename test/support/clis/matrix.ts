import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Cell } from './cell.ts';
import type { Measured } from './measure.ts';
import { SITUATIONS, type SituationName } from './situations.ts';
import { CLI_NAMES, commandOf, pinned } from './versions.ts';

const BEGIN = '<!-- measured -->';
const END = '<!-- /measured -->';

/** Puts what was measured between the marks of a page: one table for each situation, one row for each CLI. */
export function writeMatrix(path: string, cells: readonly (Cell & { is: Measured })[]): void {
  const page = readFileSync(path, 'utf8');
  const [before, , after] = [page.split(BEGIN)[0], null, page.split(END)[1]];
  if (before === undefined || after === undefined) throw new Error(`${basename(path)} has no ${BEGIN} ... ${END}`);
  const tables = (Object.keys(SITUATIONS) as SituationName[]).flatMap((name) => tableOf(name, cells));
  writeFileSync(path, `${before}${BEGIN}\n\n${tables.join('\n')}\n\n${END}${after}`);
}

function tableOf(name: SituationName, cells: readonly (Cell & { is: Measured })[]): string[] {
  const here = cells.filter(({ situation }) => situation === name);
  if (here.length === 0) return [];
  const rows = CLI_NAMES.flatMap((cli) => here.filter((cell) => cell.cli === cli)).map(({ cli, is }) => rowOf(cli, is));
  const { what, args, timeoutS } = SITUATIONS[name];
  return [
    `### ${what}`,
    '',
    `\`agent-runner ${args.join(' ')}\`, \`round_timeout_s = ${timeoutS}\``,
    '',
    '| CLI | outcome | exit | wait | usage | ended with the round | survivors |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ];
}

function rowOf(cli: Cell['cli'], { outcomes, codes, wait, usage, person, ended, survivors }: Measured): string {
  const outcome =
    outcomes.map((one) => `\`${one}\``).join(', ') + (person.length === 0 ? '' : `; asks for a person (${person.join(', ')})`);
  const name = cli.startsWith('newer ') ? `${commandOf(cli)} ${pinned(cli).version}` : cli;
  const none = (words: readonly string[]) => (words.length === 0 ? 'none' : words.join(', '));
  return `| ${[name, outcome, codes.join(', '), wait ?? 'none', usage ?? 'none', none(ended), none(survivors)].join(' | ')} |`;
}
