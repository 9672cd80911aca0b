import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import type { Config } from '../config/schema.ts';
import type { RoundOptions } from './guard.ts';
import { AGENT, HEARTBEAT } from './scratch.ts';

/** Polite waiting is shown once it is seen: nobody has to sit through ten seconds of it. */
const GRACE_S = 1;

export interface ScratchConfig {
  folder: string;
  workDir: string;
  logDir: string;
  /** The user's. */
  config: Config;
}

/** Writes a configuration like the user's, around the scripted agent, and its prompt; returns its path. */
export function writeScratchConfig({ folder, workDir, logDir, config }: ScratchConfig, options: RoundOptions): string {
  const { agent, runtime, vcs } = config;
  const {
    word,
    wallS,
    promptBytes = 2_000,
    delivery = 'stdin',
    dirtyAction = vcs.dirty_action,
    logMaxMb = runtime.round_log_max_mb,
    fallback,
  } = options;
  const prompt = join(folder, `prompt-${promptBytes}.md`);
  writeFileSync(prompt, promptOf(promptBytes));
  const prefixed = agent.exec_prefix.length > 0;
  const scripted = (act: string) => ({
    // In an image Node lies elsewhere; the script is found from the work tree, which is where an agent is started.
    command: [prefixed ? 'node' : process.execPath, AGENT, act, HEARTBEAT],
    adapter: 'demo',
    prompt_delivery: delivery,
    prompt_arg_template: delivery === 'argv' ? ['{prompt}'] : [],
  });
  const document = {
    agent: {
      ...scripted(word),
      ...(fallback === undefined ? {} : { fallback: [{ ...scripted(fallback), account: 'fallback', env: agent.env }] }),
      exec_prefix: agent.exec_prefix.map((token) => inScratch(token, runtime.work_dir, workDir)),
      env: agent.env,
      sigterm_grace_s: GRACE_S,
    },
    runtime: {
      work_dir: workDir,
      log_dir: logDir,
      round_timeout_s: wallS,
      restart_delay_s: 1,
      round_log_max_mb: logMaxMb,
      pid_namespace: runtime.pid_namespace,
    },
    prompt: { file: prompt },
    vcs: { dirty_action: dirtyAction },
    limits: options.limits ?? {},
  };
  const path = join(folder, 'agent-runner.toml');
  writeFileSync(path, stringify(document));
  return path;
}

/** A prefix that names the work tree by its path instead of `{work_dir}` must not lead the scripted agent into the real one. */
export function inScratch(token: string, workDir: string, scratch: string): string {
  const escaped = workDir.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return token.replace(new RegExp(`${escaped}(?=$|[/:,])`, 'g'), () => scratch);
}

function promptOf(bytes: number): string {
  const line = 'This is a drill: do what your first argument says, and nothing else.\n';
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}
