import { runCommand } from '../../process/command.ts';
import { resolveBinary } from '../../round/argv.ts';
import type { DoctorCheck, DoctorContext, Finding } from '../check.ts';
import { isAtLeast } from './node.ts';

/** What git is told by environment (GIT_CONFIG_COUNT) came with this version; before, its hardening would silently not happen. */
const OLDEST_GIT = '2.31';

export const git: DoctorCheck = {
  name: 'git',
  what: `git on PATH, version ${OLDEST_GIT} or newer (older ones ignore what keeps planted hooks from running)`,
  async run({ env }) {
    const answer = await runCommand(['git', '--version'], { env, timeoutMs: 5_000 });
    if (answer.code !== 0) {
      const why = answer.timedOut ? 'git does not answer' : `git cannot be started (${answer.spawnError ?? `exit ${answer.code}`})`;
      return [{ status: 'failed', summary: why, remedy: 'Install git, or extend PATH.', code: 'AR-GIT-003' }];
    }
    const version = answer.stdout.trim().replace(/^git version /, '');
    if (isAtLeast(version, OLDEST_GIT)) return [{ status: 'ok', summary: version, facts: { version } }];
    return [
      { status: 'failed', summary: `${version}; ${OLDEST_GIT} or newer is needed`, remedy: 'Install a newer git.', facts: { version } },
    ];
  },
};

export const helpers: DoctorCheck = {
  name: 'helpers',
  what: 'the small programs that are needed beside git: `flock` for locks, `mkfifo` for the agent’s output',
  run(context) {
    const findings: Finding[] = [];
    if (context.platform !== 'darwin' && !isThere('flock', context)) {
      findings.push({
        status: 'failed',
        of: 'flock',
        summary: 'there is no flock on PATH, so no lock can be taken',
        remedy: 'Install util-linux, or extend PATH.',
        code: 'AR-LCK-001',
      });
    }
    if (!isThere('mkfifo', context)) {
      findings.push({
        status: 'warning',
        of: 'mkfifo',
        summary: 'there is no mkfifo on PATH: agents that open /dev/stderr by name will fail',
        remedy: 'Install coreutils, or extend PATH.',
      });
    }
    return findings.length > 0 ? findings : [{ status: 'ok', summary: context.platform === 'darwin' ? 'mkfifo' : 'flock, mkfifo' }];
  },
};

function isThere(program: string, { env }: DoctorContext): boolean {
  return resolveBinary(program, env.PATH, '/') !== null;
}
