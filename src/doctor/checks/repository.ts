import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { git } from '../../git/git.ts';
import { locate } from '../../git/locate.ts';
import { openRepo } from '../../git/repo.ts';
import { workDirIsGitRepo } from '../../round/checks/work-dir.ts';
import { logsAreExposed } from '../../round/start-warnings.ts';
import { RunnerError } from '../../util/errors.ts';
import { type Finding, projectCheck } from '../check.ts';
import { asFindings } from './agents.ts';

export const workDir = projectCheck('work_dir', '`work_dir` is a git work tree that git does not refuse', async (project, context) =>
  asFindings(await workDirIsGitRepo({ ...project, env: context.env }), project.loaded.config.runtime.work_dir),
);

export const identity = projectCheck(
  'git_identity',
  'git has a name and an address for stashes and commits',
  async ({ loaded, paths, tree }, { env }) => {
    if (tree.problem !== null) return [{ status: 'skipped', summary: 'not looked at: see work_dir' }];
    const repo = openRepo(loaded.config.runtime.work_dir, { logDir: paths.logDir, env });
    try {
      const answer = await git(repo, ['var', 'GIT_COMMITTER_IDENT'], { read: true });
      if (answer.code === 0) return [{ status: 'ok', summary: answer.stdout.trim().replace(/ \d+ [+-]\d{4}$/, '') }];
      return [
        {
          status: loaded.config.vcs.dirty_action === 'ignore' ? 'warning' : 'failed',
          summary: 'git does not know who you are: nothing can be stashed or committed',
          remedy: "git config --global user.name '...' and user.email '...'",
        },
      ];
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      return [{ status: 'failed', summary: error.message, remedy: error.remedy ?? '', code: error.code }];
    }
  },
);

/** What git leaves in the repository while something is half done. */
const HALF_DONE: Record<string, string> = {
  MERGE_HEAD: 'a merge',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase or am',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
};

export const state = projectCheck(
  'git_state',
  'no merge or rebase is half done, no stale lock, what is uncommitted, whether there is a first commit',
  ({ loaded, tree }, { clock }) => {
    const { work_dir: folder } = loaded.config.runtime;
    const place = tree.problem === null ? locate(folder) : null;
    if (place === null) return [{ status: 'skipped', summary: 'not looked at: see work_dir' }];
    const findings: Finding[] = [];
    for (const [name, what] of Object.entries(HALF_DONE)) {
      if (existsSync(join(place.gitDir, name)))
        findings.push({
          status: 'warning',
          summary: `${what} is half done: an agent would have to deal with it`,
          remedy: 'Finish or abort it.',
        });
    }
    const lock = statSync(join(place.gitDir, 'index.lock'), { throwIfNoEntry: false });
    if (lock !== undefined) {
      const age = Math.round((clock.now() - lock.mtimeMs) / 1000);
      findings.push({
        status: 'warning',
        summary: `index.lock is there, ${age} s old: git refuses to work while it is`,
        remedy: 'The next round removes it when no process holds it and it is older than 10 s.',
        facts: { age_s: age },
      });
    }
    if (tree.head === null)
      findings.push({ status: 'warning', summary: 'there is no commit yet: nothing can be stashed', remedy: 'Make a first commit.' });
    const dirty = tree.dirty.length;
    const facts = { head: tree.head, dirty, top: place.top, git_dir: place.gitDir, linked_worktree: place.gitDir !== place.commonDir };
    if (dirty > 0 && loaded.config.vcs.preexisting === 'refuse') {
      const remedy = 'Commit or stash them, or set vcs.preexisting = "snapshot".';
      findings.push({
        status: 'failed',
        summary: `${dirty} path(s) are not committed, and vcs.preexisting is "refuse"`,
        remedy,
        code: 'AR-SRV-003',
        facts,
      });
    } else if (findings.length === 0) {
      const words = dirty === 0 ? 'clean' : `${dirty} path(s) are not committed; serve keeps a snapshot of them`;
      findings.push({ status: dirty === 0 ? 'ok' : 'info', summary: `${words}; HEAD ${tree.head?.slice(0, 10)}`, facts });
    }
    return findings;
  },
);

export const logDirPlace = projectCheck(
  'log_dir_place',
  '`log_dir` lies outside `work_dir`, where an agent neither deletes nor commits it',
  async ({ loaded, paths, tree }, { env }) => {
    const { work_dir: folder, log_dir: logDir } = loaded.config.runtime;
    const place = tree.problem === null ? locate(folder) : null;
    const exposed = place !== null && (await logsAreExposed(openRepo(folder, { logDir: paths.logDir, env }), logDir).catch(() => false));
    const inside = relative(place?.top ?? folder, existsSync(logDir) ? realpathSync(logDir) : logDir);
    if (inside.startsWith('../') || inside === '..') return [{ status: 'ok', summary: `${logDir} is outside` }];
    return [
      {
        status: 'warning',
        summary: `log_dir ${logDir} lies in the work tree${exposed ? ' and git does not ignore it: an agent commits it, and' : ':'} an agent's "git clean" deletes the logs of its own round`,
        remedy: 'Put it elsewhere, e.g. log_dir = "~/.agent-runner/{project}/logs".',
      },
    ];
  },
);
