import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Emit } from '../../src/events/emit.ts';
import { resolveDirty } from '../../src/git/dirty.ts';
import type { DirtyOptions, DirtyResult } from '../../src/git/dirty-options.ts';
import { openRepo, type Repo, type RepoOptions } from '../../src/git/repo.ts';
import { treeState } from '../../src/git/tree.ts';
import { layout } from '../../src/state/layout.ts';
import { systemClock } from '../../src/util/clock.ts';

interface Told {
  kind: string;
  fields: Record<string, unknown>;
}

export interface Scratch {
  folder: string;
  workDir: string;
  logDir: string;
  repo: Repo;
  env: NodeJS.ProcessEnv;
  events: Told[];
  emit: Emit;
  kinds(): string[];
  /** Runs git as a person would, in the work tree. */
  git(...args: string[]): string;
  gitIn(folder: string, ...args: string[]): string;
  write(path: string, text: string, mode?: number): string;
  read(path: string): string;
  /** Another look at the same repository, as a restarted supervisor has it. */
  open(changes?: Partial<RepoOptions>, workDir?: string): Repo;
  /** What the end of a round does: looks, then deals with it. */
  resolve(action: DirtyOptions['action'], changes?: Partial<DirtyOptions>, repo?: Repo): Promise<DirtyResult>;
  /** A program that proves by a file that it ran. */
  evil: string;
  evilRan(): string;
  close(): void;
}

/** A repository with one commit (`tracked.txt`), a home of its own, and log_dir beside it. */
export function scratchRepo({ logs = '../logs', commit = true }: { logs?: string; commit?: boolean } = {}): Scratch {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-runner-git-')));
  const workDir = join(folder, 'work');
  const logDir = join(workDir, logs);
  const marker = join(folder, 'evil-ran');
  const evil = join(folder, 'evil');
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home'), GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  mkdirSync(workDir);
  mkdirSync(logDir, { recursive: true });
  mkdirSync(env.HOME);
  writeFileSync(
    join(env.HOME, '.gitconfig'),
    '[user]\nname = Person\nemail = person@example.org\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n',
  );
  writeFileSync(evil, `#!/bin/sh\necho "$*" >> '${marker}'\ncat\n`, { mode: 0o755 });

  const gitIn = (where: string, ...args: string[]) =>
    execFileSync('git', ['-C', where, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 20_000 }).trimEnd();
  const events: Told[] = [];
  const emit: Emit = (kind, fields) => void events.push({ kind, fields });
  const open: Scratch['open'] = (changes = {}, where = workDir) => openRepo(where, { logDir, env, ...changes });
  const repo = open();
  const scratch: Scratch = {
    folder,
    workDir,
    logDir,
    repo,
    env,
    events,
    emit,
    kinds: () => events.map(({ kind }) => kind),
    git: (...args) => gitIn(workDir, ...args),
    gitIn,
    write(path, text, mode = 0o644) {
      const file = join(workDir, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
      return file;
    },
    read: (path) => readFileSync(join(workDir, path), 'utf8'),
    open,
    async resolve(action, changes = {}, of = repo) {
      return resolveDirty(of, {
        action,
        roundNum: 1,
        phase: null,
        tree: await treeState(of),
        preexisting: new Set(),
        idempotencyS: 5,
        hooksTrusted: false,
        paths: layout(logDir),
        emit,
        clock: systemClock,
        ...changes,
      });
    },
    evil,
    evilRan: () => (existsSync(marker) ? readFileSync(marker, 'utf8') : ''),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
  gitIn(workDir, 'init', '-q');
  if (commit) {
    scratch.write('tracked.txt', 'first\n');
    scratch.git('add', '-A', '--', '.', ':(exclude)logs');
    scratch.git('commit', '-q', '-m', 'first');
  }
  return scratch;
}
