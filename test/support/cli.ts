import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testFolder } from './folder.ts';

/** The built program: `npm run build` makes it. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  cwd?: string;
  /** Added to (or, when undefined, taken out of) this process's environment. */
  env?: Record<string, string | undefined>;
  /** Close our end of its stdout as soon as something came. */
  closeStdout?: boolean;
}

/** Runs `agent-runner ARGS` to its end; killed after 30 s. */
export function cli(args: readonly string[], { cwd, env = {}, closeStdout = false }: CliOptions = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...cleared(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
    killSignal: 'SIGKILL',
  });
  const result: CliResult = { code: null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    result.stdout += chunk;
    if (closeStdout) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    result.stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...result, code }));
  });
}

/** A test that runs inside somebody's round must not look like a part of it. */
function cleared(): Record<string, undefined> {
  const ours = Object.keys(process.env).filter((name) => name.startsWith('AGENT_RUNNER_') && !name.startsWith('AGENT_RUNNER_TEST_'));
  return Object.fromEntries([...ours, 'NO_COLOR', 'FORCE_COLOR'].map((name) => [name, undefined]));
}

export interface TestProject {
  folder: string;
  config: string;
  logDir: string;
  /** Writes a file under log_dir: text as it is, anything else as JSON. */
  write(name: string, content: unknown): string;
}

/** A folder with a minimal configuration and an empty log_dir beside its work_dir. */
export function testProject(extra = ''): TestProject {
  const folder = testFolder();
  const logDir = join(folder, 'logs');
  mkdirSync(join(logDir, 'state'), { recursive: true });
  mkdirSync(join(logDir, 'rounds'));
  const config = join(folder, 'agent-runner.toml');
  writeFileSync(
    config,
    `[agent]\ncommand = ["true"]\nprompt_arg_template = ["{prompt}"]\n[runtime]\nwork_dir = "."\nlog_dir = "logs"\n[prompt]\nfile = "prompt.md"\n${extra}`,
  );
  return {
    folder,
    config,
    logDir,
    write(name, content) {
      const path = join(logDir, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
  };
}
