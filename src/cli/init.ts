import { relative } from 'node:path';
import { type InitOptions, type InitReport, initProject } from '../config/init/init.ts';
import { note, print, printJson } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

type Options = GlobalOptions & Pick<InitOptions, 'preset' | 'detect' | 'force' | 'commit'>;

export async function runInit({ config, json, ...options }: Options): Promise<number> {
  const report = await initProject({ ...options, config, terminal: process.stdout.isTTY === true, path: process.env.PATH });
  if (json) printJson(report);
  else for (const line of linesOf(report)) print(line);
  if (report.commit_problem !== null) note(`the files are written but not committed: ${report.commit_problem}`);
  return 0;
}

function linesOf(report: InitReport): string[] {
  const name = (path: string) => relative(process.cwd(), path) || path;
  const found = report.detected?.map(({ preset, path }) => `${preset} (${path})`).join(', ');
  return [
    ...(found === undefined ? [] : [`found ${found}`]),
    ...report.written.map((path) => `wrote ${name(path)}${path === report.config_path ? `, preset ${report.preset}` : ''}`),
    ...report.kept.map((path) => `kept ${name(path)}, which was there`),
    ...(report.backup === null ? [] : [`the configuration that was there is now ${name(report.backup)}`]),
    ...(report.committed ? ['committed these'] : []),
    `Logs and state: ${report.log_dir}`,
    'Next: write your task into prompts/main.md, then try `agent-runner round`, then let `agent-runner serve` go on.',
  ];
}
