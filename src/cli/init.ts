import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type InitOptions, type InitReport, initProject } from '../config/init/init.ts';
import { stopBudget } from '../service/stop-budget.ts';
import { note, print, printJson } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

type Options = GlobalOptions & Pick<InitOptions, 'preset' | 'detect' | 'container' | 'compose' | 'force' | 'commit'>;

export async function runInit({ config, json, ...options }: Options): Promise<number> {
  const terminal = process.stdout.isTTY === true;
  const report = await initProject({
    ...options,
    config,
    terminal,
    path: process.env.PATH,
    stopBudgetS: (loaded) => stopBudget(loaded).seconds,
  });
  if (json) printJson(report);
  else for (const line of linesOf(report)) print(line);
  if (isTaken(report))
    note(`${report.log_dir} is there already\n  if another project keeps its state there, give this one a runtime.log_dir of its own`);
  if (report.commit_problem !== null)
    note(`the files are written but not committed: ${report.commit_problem}\n  ${commitRemedy(report.commit_problem)}`);
  if (report.deploy.pack_problem !== null)
    note(`the program is not in deploy/ yet (${report.deploy.pack_problem}): put its packed agent-runner-*.tgz there`);
  return 0;
}

/** The name of log_dir comes from the folder's, and there may be two `app` on one machine. */
function isTaken({ backup, preset, log_dir: logDir }: InitReport): boolean {
  return preset !== null && backup === null && existsSync(join(logDir, 'state'));
}

/** git's own words on a missing identity differ with what is missing. */
function commitRemedy(problem: string): string {
  return /auto-detect|ident name|tell me who you are/i.test(problem)
    ? 'tell git who you are (git config --global user.name NAME; git config --global user.email ADDRESS), then commit them'
    : 'mend that, then commit them';
}

function linesOf(report: InitReport): string[] {
  const name = (path: string) => {
    const near = relative(process.cwd(), path);
    return near === '' || near.startsWith('..') ? path : near;
  };
  const found = report.detected?.map(({ preset, path }) => `${preset} (${path})`).join(', ');
  const { deploy } = report;
  return [
    ...(found === undefined ? [] : [`found ${found}`]),
    ...report.written.map((path) => `wrote ${name(path)}${path === report.config_path ? `, preset ${report.preset}` : ''}`),
    ...report.kept.map((path) => `kept ${name(path)}, which was there`),
    ...(report.backup === null ? [] : [`the configuration that was there is now ${name(report.backup)}`]),
    ...(report.committed ? ['committed what belongs to the project'] : []),
    ...(deploy.grace_s === null ? [] : [`stop_grace_period: ${deploy.grace_s} s, the longest round and all that ends it`]),
    `Logs and state: ${report.log_dir}`,
    ...(deploy.env_file === null ? [] : [`Secrets of the agent: ${deploy.env_file}`]),
    ...nextSteps(report),
  ];
}

function nextSteps({ deploy, preset }: InitReport): string[] {
  const task = preset === null ? '' : 'write your task into prompts/main.md, then ';
  if (deploy.grace_s !== null) return [`Next: ${task}start it: docker-compose -f deploy/docker-compose.yml up -d --build`];
  if (deploy.build !== null) return [`Build the agent's image: ${deploy.build}`, `Next: ${task}try \`agent-runner round\`.`];
  return [`Next: ${task}try \`agent-runner round\`, then let \`agent-runner serve\` go on.`];
}
