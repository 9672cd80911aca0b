import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requirePart } from '../support/parts.ts';
import { type Project, type ProjectOptions, project } from '../support/project.ts';
import { mountTmpfs } from '../support/tmpfs.ts';

const RESULT = 'echo \'{"type":"result","is_error":false}\'';
const N = '"$AGENT_RUNNER_ROUND_NUM"';

/** An agent that keeps its prompt, does this to the tree, and ends well. */
function doing(script: string): string {
  return `cat > "$AGENT_RUNNER_LOG_DIR/prompt-$AGENT_RUNNER_ROUND_NUM"; ${script}\n${RESULT}`;
}

function serve(at: Project, rounds: number, cwd = at.workDir) {
  return at.run(['serve', '--max-rounds', String(rounds)], { cwd });
}

/** A project with work that somebody has not committed. */
function withPersonsWork(options: ProjectOptions): Project {
  const at = project(options);
  at.write('tracked.txt', 'first\n');
  at.git('add', 'tracked.txt');
  at.git('commit', '-q', '-m', 'tracked');
  at.write('tracked.txt', 'half a thought\n');
  at.write('mine.txt', 'not yours\n');
  return at;
}

const status = (at: Project) => at.git('status', '--porcelain');
const kinds = (at: Project, ...wanted: string[]) =>
  at
    .events()
    .filter(({ event }) => wanted.includes(event))
    .map(({ event }) => event);

describe('reference case 19: what becomes of a dirty tree', () => {
  it('reference case 18: after a clean end it is stashed by its SHA, and the next prompt tells of it', async () => {
    const at = project({ agent: doing(`if [ ${N} = 1 ]; then echo new > new.txt; echo changed >> prompts/main.md; fi`) });
    expect(await serve(at, 2)).toMatchObject({ code: 0 });
    const [{ ref }] = at.events('orphan_stashed') as unknown as [{ ref: string }];
    expect(ref).toMatch(/^[0-9a-f]{40}$/);
    expect(at.git('rev-parse', 'refs/stash')).toBe(ref);
    expect(at.git('show', `${ref}^3:new.txt`)).toBe('new');
    expect(at.git('log', '-1', '--format=%s', ref)).toMatch(/^On main: ORPHAN R1 ts=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(status(at)).toBe('');
    const prompt = readFileSync(join(at.logDir, 'prompt-2'), 'utf8');
    const context = JSON.parse(/```json round-context\n(.*?)\n```/s.exec(prompt)?.[1] ?? '');
    expect(context.orphan_stash).toMatchObject({ ref, files: ['prompts/main.md', 'new.txt'] });
    expect(context.previous).toMatchObject({ exit_code: 0, had_dirty_tree: false });
    // The second round left nothing, so there is nothing to tell of any more; the stash stays.
    expect(at.has('orphan-state.json')).toBe(false);
    expect(at.git('stash', 'list').split('\n')).toHaveLength(1);
  });

  it('after a grace kill too', async () => {
    const at = project({
      agent: `cat >/dev/null; echo x > new.txt; ${RESULT}; exec sleep 300`,
      runtime: { max_grace_after_result_s: 1 },
    });
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['grace_kill']);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(at.json('orphan-state.json')).toMatchObject({ round_num: 1, files: ['new.txt'], phase: null });
  });

  it.each([
    ['timeout', 'echo x > new.txt; exec sleep 300'],
    ['crash', 'echo x > new.txt; exit 4'],
  ])('after a %s it is left for the next round', async (outcome, script) => {
    const at = project({ agent: `cat >/dev/null; ${script}`, runtime: { round_timeout_s: 1 } });
    await at.run(['round']);
    expect(at.outcomes()).toEqual([outcome]);
    expect(at.events('dirty_detected')).toMatchObject([{ files: ['new.txt'] }]);
    expect(kinds(at, 'orphan_stashed', 'orphan_stash_failed')).toEqual([]);
    expect(status(at)).toBe('?? new.txt');
    at.setAgent(doing('true'));
    await at.run(['round']);
    // By then it is the agent's to have finished or not: a clean end takes it up.
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(readFileSync(join(at.logDir, 'prompt-2'), 'utf8')).toContain('"had_dirty_tree": true');
  });

  it('scar 4: the same round does not stash twice within the same seconds', async () => {
    const at = project({ agent: doing('echo again > new.txt'), vcs: { stash_idempotency_s: 60 } });
    await at.run(['round']);
    rmSync(join(at.logDir, 'status.json'));
    rmSync(join(at.logDir, 'rounds'), { recursive: true });
    await at.run(['round']);
    expect(kinds(at, 'orphan_stashed', 'orphan_idempotent_skip')).toEqual(['orphan_stashed', 'orphan_idempotent_skip']);
    expect(at.git('stash', 'list').split('\n')).toHaveLength(1);
  });

  it('scar 27, reference case 18: files that were only promised to the index are not called clean', async () => {
    const at = project({ agent: doing('echo x > new.txt; git add -N new.txt') });
    await at.run(['round']);
    expect(kinds(at, 'orphan_stashed', 'orphan_stash_failed')).toHaveLength(1);
    expect(existsSync(join(at.workDir, 'new.txt')) || at.git('show', 'refs/stash:new.txt') === 'x').toBe(true);
  });
});

describe('dirty_action', () => {
  it('auto_commit commits everything of the round, and HEAD moves', async () => {
    const at = project({ agent: doing('mkdir -p a; echo x > a/new.txt'), vcs: { dirty_action: 'auto_commit' } });
    await at.run(['round']);
    const head = at.git('rev-parse', 'HEAD');
    expect(at.events('dirty_auto_committed')).toMatchObject([{ round_num: 1, files: ['a/new.txt'], ref: head }]);
    expect(at.git('log', '-1', '--format=%s')).toBe('agent-runner auto-commit: R1');
    expect(status(at)).toBe('');
  });

  it('field bug 36: a refusing hook and a gpg that hangs neither block nor lose anything', async () => {
    const at = project({ agent: doing('echo x > new.txt; git add new.txt; echo y >> new.txt'), vcs: { dirty_action: 'auto_commit' } });
    at.write('../home/gpg', '#!/bin/sh\nsleep 300\n', 0o755);
    at.git('config', '--global', 'gpg.program', join(at.folder, 'home/gpg'));
    at.git('config', '--global', 'commit.gpgsign', 'true');
    at.write('.git/hooks/pre-commit', '#!/bin/sh\necho lint: semicolon missing >&2; exit 1\n', 0o755);
    await at.run(['round']);
    expect(at.events('dirty_commit_failed')).toMatchObject([{ round_num: 1, reason: expect.stringContaining('semicolon missing') }]);
    expect(at.git('rev-list', '--count', 'HEAD')).toBe('1');
    expect(at.git('show', ':new.txt')).toBe('x');
    expect(readFileSync(join(at.workDir, 'new.txt'), 'utf8')).toBe('x\ny\n');
    rmSync(join(at.workDir, '.git/hooks/pre-commit'));
    await at.run(['round']);
    expect(at.events('dirty_auto_committed')).toHaveLength(1);
  });

  it('ignore leaves it and says so once a round', async () => {
    const at = project({ agent: doing('echo x >> new.txt'), vcs: { dirty_action: 'ignore' } });
    await serve(at, 2);
    expect(at.events('dirty_detected')).toHaveLength(2);
    expect(kinds(at, 'orphan_stashed', 'dirty_auto_committed')).toEqual([]);
    expect(status(at)).toBe('?? new.txt');
  });
});

describe('field bug 35: what a person had not committed before serve started', () => {
  it.each(['stash', 'auto_commit'])('is kept in a snapshot and never taken up (%s)', async (action) => {
    const at = withPersonsWork({ agent: doing(`echo ${N} > round.txt`), vcs: { dirty_action: action } });
    expect(await serve(at, 2)).toMatchObject({ code: 0 });
    expect(status(at)).toBe(' M tracked.txt\n?? mine.txt');
    expect(readFileSync(join(at.workDir, 'tracked.txt'), 'utf8')).toBe('half a thought\n');
    const [{ ref, ref_name, files }] = at.events('preexisting_snapshot') as unknown as [{ ref: string; ref_name: string; files: string[] }];
    expect(files).toEqual(['tracked.txt', 'mine.txt']);
    expect(at.git('rev-parse', ref_name)).toBe(ref);
    expect(at.git('show', `${ref}:tracked.txt`)).toBe('half a thought');
    expect(at.git('show', `${ref}:mine.txt`)).toBe('not yours');
    if (action === 'stash') {
      expect(at.events('orphan_stashed')).toHaveLength(2);
      expect(at.git('show', '--name-only', '--format=', 'refs/stash^3')).toBe('round.txt');
    } else expect(at.git('log', '--name-only', '--format=', '-2').split('\n').filter(Boolean)).toEqual(['round.txt', 'round.txt']);
  });

  it('vcs.preexisting = "refuse" stops with 78 before any agent starts, and names the files', async () => {
    const at = withPersonsWork({ vcs: { preexisting: 'refuse' } });
    const { code, stderr } = await serve(at, 1);
    expect(code).toBe(78);
    expect(stderr).toContain('tracked.txt, mine.txt');
    expect(stderr).toContain('AR-SRV-003');
    expect(at.events('agent_spawn')).toEqual([]);
    expect(status(at)).toBe(' M tracked.txt\n?? mine.txt');
    at.git('add', '-A');
    at.git('commit', '-q', '-m', 'done');
    expect(await serve(at, 1)).toMatchObject({ code: 0 });
  });

  it('scar 5: stashes of a person stay as they are, byte for byte, also one that looks like ours', async () => {
    const at = project({ agent: doing(`echo ${N} > round.txt`) });
    for (const message of ['my work', 'ORPHAN R1 ts=2020-01-01T00:00:00Z', 'ORPHAN R10 ts=2020-01-01T00:00:00Z']) {
      at.write('mine.txt', message);
      at.git('stash', 'push', '-q', '-u', '-m', message);
    }
    const list = () => at.git('stash', 'list', '--format=%H %gs').split('\n');
    const before = list();
    const bytes = before.map((line) => at.git('cat-file', '-p', line.slice(0, 40)));
    await serve(at, 3);
    expect(at.events('orphan_stashed')).toHaveLength(3);
    expect(list().slice(3)).toEqual(before);
    expect(before.map((line) => at.git('cat-file', '-p', line.slice(0, 40)))).toEqual(bytes);
  });

  it('two work trees of one repository, both dirty: each is brought back by its own SHA', async () => {
    const at = project({ agent: doing('pwd > where.txt') });
    const other = join(at.folder, 'deep/other');
    at.git('worktree', 'add', '-q', '--detach', other);
    const [first, second] = await Promise.all([at.run(['round']), at.run(['round'], { cwd: other })]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const refOf = (logs: string) => JSON.parse(readFileSync(join(logs, 'orphan-state.json'), 'utf8')).stashed_ref;
    const refs = [refOf(at.logDir), refOf(join(at.folder, 'deep/logs'))];
    expect(refs.map((ref) => at.git('show', `${ref}^3:where.txt`))).toEqual([at.workDir, other]);
    expect(at.git('stash', 'list', '--format=%s')).toContain('worktree=other');
    expect(status(at)).toBe('');
  });
});

describe('field bug 34: what git cannot stash', () => {
  it('a nested repository and a dirty submodule are told once, and the loop goes on', async () => {
    const at = project({ agent: doing(`git init -q nested; echo ${N} > nested/file; echo ${N} >> sub/file; echo ${N} > plain.txt`) });
    const source = join(at.folder, 'source');
    execFileSync('git', ['init', '-q', source], { env: at.env });
    writeFileSync(join(source, 'file'), 'first\n');
    for (const args of [
      ['add', '-A'],
      ['commit', '-q', '-m', 'first'],
    ])
      execFileSync('git', ['-C', source, ...args], { env: at.env });
    at.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'sub');
    at.git('commit', '-q', '-m', 'submodule');
    expect(await serve(at, 3)).toMatchObject({ code: 0 });
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    expect(at.events('dirty_unstashable')).toMatchObject([{ reason: 'nested_repository', paths: ['nested/', 'sub'] }]);
    expect(at.events('orphan_stashed')).toHaveLength(3);
    expect(readFileSync(join(at.workDir, 'sub/file'), 'utf8')).toBe('first\n1\n2\n3\n');
    expect(readFileSync(join(at.workDir, 'nested/file'), 'utf8')).toBe('3\n');
  });

  it('field bug 36: before the first commit nothing can be stashed: told once, work stays', async () => {
    const at = project({ agent: doing(`echo ${N} > new.txt`) });
    rmSync(join(at.workDir, '.git'), { recursive: true });
    at.git('init', '-q');
    expect(await serve(at, 3)).toMatchObject({ code: 0 });
    expect(at.events('dirty_unstashable')).toMatchObject([{ reason: 'no_commit_yet', paths: ['new.txt'] }]);
    expect(at.events('preexisting_snapshot')).toHaveLength(1);
    expect(readFileSync(join(at.workDir, 'new.txt'), 'utf8')).toBe('3\n');
  });

  it('auto_commit makes the first commit of a repository, without what a person had there', async () => {
    const at = project({ agent: doing('echo x > new.txt'), vcs: { dirty_action: 'auto_commit' } });
    rmSync(join(at.workDir, '.git'), { recursive: true });
    at.git('init', '-q');
    await serve(at, 1);
    expect(at.git('log', '--name-only', '--format=%s')).toBe('agent-runner auto-commit: R1\n\nnew.txt');
  });
});

it('field bug 33, scar 30: an old index.lock that nobody holds is removed, told, and the stash is made', async () => {
  const at = project({ agent: doing('echo x > new.txt; touch -d "1 minute ago" .git/index.lock') });
  await at.run(['round']);
  expect(kinds(at, 'stale_index_lock_cleared', 'orphan_stashed')).toEqual(['stale_index_lock_cleared', 'orphan_stashed']);
  expect(status(at)).toBe('');
});

describe('what an agent plants for git', () => {
  const EVIL = '#!/bin/sh\\ntouch ../evil-ran; cat\\n';
  const PLANT = `printf '${EVIL}' > ../evil; chmod +x ../evil; evil=$(cd ..; pwd)/evil
    for hook in pre-commit post-commit post-checkout pre-auto-gc reference-transaction post-index-change prepare-commit-msg; do cp ../evil .git/hooks/$hook; done
    git config core.fsmonitor $evil; git config diff.external $evil; git config filter.evil.clean $evil; git config filter.evil.smudge $evil
    git config core.pager $evil; git config core.editor $evil; git config gpg.program $evil; git config commit.gpgsign true; git config alias.status "!$evil"
    echo '*.txt filter=evil' > .git/info/attributes; rm -f ../evil-ran`;

  it.each(['stash', 'auto_commit'])('does not run, and is told once (%s)', async (action) => {
    const at = project({
      agent: doing(`if [ ${N} = 1 ]; then ${PLANT}; fi; echo ${N} > new.md; echo ${N} > new.txt; echo ${N} > kept.txt`),
      vcs: { dirty_action: action },
    });
    at.write('kept.txt', '0\n');
    at.git('add', 'kept.txt');
    at.git('commit', '-q', '-m', 'kept');
    expect(await serve(at, 3)).toMatchObject({ code: 0 });
    expect(existsSync(join(at.folder, 'evil-ran'))).toBe(false);
    const tampered = at.events('git_config_tampered');
    expect(tampered).toHaveLength(1);
    expect(tampered[0]?.paths).toEqual(expect.arrayContaining(['.git/config', '.git/hooks/pre-commit', '.git/info/attributes']));
    expect(at.outcomes()).toEqual(['ok', 'ok', 'ok']);
    // Files under the planted filter are left, the others are dealt with.
    expect(at.events('dirty_unstashable')).toMatchObject([{ reason: 'repository_filter', paths: ['kept.txt', 'new.txt'] }]);
    expect(at.events(action === 'stash' ? 'orphan_stashed' : 'dirty_auto_committed')).toHaveLength(3);
  });

  it('hooks that were there before any agent are honoured by auto_commit', async () => {
    const at = project({ agent: doing('echo x > new.txt'), vcs: { dirty_action: 'auto_commit' } });
    at.write('.git/hooks/pre-commit', '#!/bin/sh\ntouch ../hook-ran\n', 0o755);
    await at.run(['round']);
    expect(existsSync(join(at.folder, 'hook-ran'))).toBe(true);
    expect(at.events('git_config_tampered')).toEqual([]);
  });
});

describe('log_dir inside the work tree', () => {
  it.each(['stash', 'auto_commit'])('scar 24: is neither stashed nor committed (%s)', async (action) => {
    const at = project({ agent: doing('true'), logs: 'logs', vcs: { dirty_action: action } });
    const head = at.git('rev-parse', 'HEAD');
    await serve(at, 2);
    expect(at.git('rev-parse', 'HEAD')).toBe(head);
    expect(at.git('stash', 'list')).toBe('');
    expect(at.events('dirty_detected')).toEqual([]);
    expect(at.events('round_end')).toHaveLength(2);
  });

  it('scar 25: when it is ignored the stash is made all the same', async () => {
    const at = project({ agent: doing('echo x > new.txt'), logs: 'logs' });
    at.write('.gitignore', 'logs/\n');
    at.git('add', '-A');
    at.git('commit', '-q', '-m', 'ignore');
    await at.run(['round']);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(status(at)).toBe('');
  });

  it('scar 26, scar 29: names with newlines, quotes, globs, leading dashes and no encoding are all taken up, log_dir is not', async () => {
    const names = [
      '-rf',
      '--all',
      ':(top)x',
      'new\nline',
      'a"b',
      "it's",
      '*',
      '[a-z]',
      'ä ö',
      'tab\there',
      'dir/deep/er',
      '!bang',
      ' lead',
    ];
    const script = names.map((name) => `put ${JSON.stringify(name).replaceAll('\\n', '\n').replaceAll('\\t', '\t')}`).join('; ');
    const at = project({
      agent: doing(`put() { mkdir -p -- "$(dirname -- "./$1")"; echo x > "./$1"; }; ${script}; printf x > "$(printf 'bad\\377name')"`),
      logs: 'logs',
    });
    await at.run(['round']);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(status(at)).toBe('?? logs/');
    const taken = at.git('ls-tree', '-r', '-z', '--name-only', 'refs/stash^3').split('\0').filter(Boolean);
    expect(taken).toEqual(expect.arrayContaining(names));
    expect(taken).toHaveLength(names.length + 1);
  });
});

describe('odd places of HEAD', () => {
  it('a detached HEAD is stashed and committed like any other', async () => {
    const at = project({ agent: doing(`echo ${N} > new.txt`) });
    at.git('checkout', '-q', '--detach');
    await at.run(['round']);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    at.edit('[prompt]', '[vcs]\ndirty_action = "auto_commit"\n[prompt]');
    at.git('commit', '-q', '-a', '-m', 'person');
    await at.run(['round']);
    expect(at.git('log', '-1', '--format=%s')).toBe('agent-runner auto-commit: R2');
  });

  it('a commit of the agent is progress, and a round without a trace is none', async () => {
    const at = project({ agent: doing(`if [ ${N} = 3 ]; then git commit -q --allow-empty -m work; fi`) });
    await serve(at, 2);
    expect(at.json('state/streaks.json')).toMatchObject({ unmoved: 2 });
    await at.run(['round']);
    const heads = (kind: string) => at.events(kind).map(({ git_head }) => git_head);
    expect(heads('round_substrate_after')[2]).toBe(at.git('rev-parse', 'HEAD'));
    expect(heads('round_substrate_before')[2]).toBe(at.git('rev-parse', 'HEAD^'));
    at.setAgent(doing(`if [ ${N} = 5 ]; then git commit -q --allow-empty -m work; fi`));
    await serve(at, 2);
    expect(at.json('state/streaks.json')).toMatchObject({ unmoved: 0 });
  });

  it('an agent that leaves a merge unfinished has it neither committed nor lost', async () => {
    const at = project({
      agent: doing(
        `git checkout -q -b side; echo a > f; git add f; git commit -q -m a; git checkout -q main; echo b > f; git add f; git commit -q -m b; git merge -q side || true`,
      ),
      vcs: { dirty_action: 'auto_commit' },
    });
    await at.run(['round']);
    expect(at.events('dirty_commit_failed')).toMatchObject([{ reason: expect.stringContaining('merge') }]);
    expect(status(at)).toBe('AA f');
  });
});

it('a full disk under the work tree: the stash fails and is told, no file and no lock is lost or left, and later it is made', async (context) => {
  requirePart(context, 'tmpfs');
  const at = project({ agent: doing(`echo work > new.txt; head -c 50000000 /dev/urandom > big || true`) });
  const small = join(at.folder, 'small');
  await mountTmpfs(small, '4m');
  execFileSync('cp', ['-a', `${at.workDir}/.`, small]);
  const git = (...args: string[]) => execFileSync('git', ['-C', small, ...args], { env: at.env, encoding: 'utf8' });
  expect(await at.run(['round'], { cwd: small })).toMatchObject({ code: 0 });
  expect(at.events('orphan_stash_failed')).toHaveLength(1);
  expect(git('stash', 'list')).toBe('');
  expect(readFileSync(join(small, 'new.txt'), 'utf8')).toBe('work\n');
  expect(existsSync(join(small, '.git/index.lock'))).toBe(false);
  rmSync(join(small, 'big'));
  git('fsck', '--strict');
  at.setAgent(doing('true'));
  await at.run(['round'], { cwd: small });
  expect(at.events('orphan_stashed')).toHaveLength(1);
  expect(git('show', 'refs/stash^3:new.txt')).toBe('work\n');
});

it('an agent that fills the disk of log_dir: peek does not take its finished round for one whose supervisor died', async (context) => {
  requirePart(context, 'tmpfs');
  const at = project({ agent: 'cat >/dev/null; head -c 9000000 /dev/zero > "$AGENT_RUNNER_LOG_DIR/filler"; echo done' });
  await mountTmpfs(at.logDir, '2m');
  expect((await at.run(['round'])).code).toBe(0);
  expect(at.json('status.json')).toMatchObject({ running: false, last_outcome: 'ok' });
  expect((await at.run(['peek'])).stdout).not.toContain('died');
});

describe('an agent that', () => {
  it('deletes .git: the round is told, the next start says what is wrong, no file is touched', async () => {
    const at = project({ agent: doing('echo x > new.txt; rm -rf .git') });
    const { code, stderr } = await serve(at, 3);
    expect(code).toBe(78);
    expect(stderr).toContain('AR-CHK-003');
    expect(stderr).toContain('is not a git work tree');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(at.events('dirty_check_failed')).toHaveLength(1);
    expect(at.events('round_start')).toHaveLength(1);
    expect(readFileSync(join(at.workDir, 'new.txt'), 'utf8')).toBe('x\n');
    const { stdout } = await at.run(['peek']);
    expect(stdout.split('\n')[0]).toContain('agent-runner serve');
  });

  it('makes .git point to another repository: nothing of ours goes there', async () => {
    const at = project({
      agent: doing(`echo x > new.txt; git init -q ../other; mv .git ../kept; echo "gitdir: $(cd ../other; pwd)/.git" > .git`),
    });
    const running = at.start(['serve', '--max-rounds', '3']);
    await at.event('smoke_check_failed');
    expect(running.child.exitCode).toBe(null);
    expect(at.events('smoke_check_failed')[0]?.reason).toContain('another repository');
    expect(existsSync(join(at.folder, 'other/.git/refs/stash'))).toBe(false);
    expect(at.events('round_start')).toHaveLength(1);
    rmSync(join(at.workDir, '.git'));
    execFileSync('mv', [join(at.folder, 'kept'), join(at.workDir, '.git')]);
    await at.event('round_start', ({ round_num }) => round_num === 2);
  });

  it('removes log_dir: it is made again and the loop goes on', async () => {
    const at = project({ agent: doing(`if [ ! -e ../once ]; then touch ../once; rm -rf "$AGENT_RUNNER_LOG_DIR"; fi`) });
    const { code, stderr } = await serve(at, 3);
    expect({ code, stderr: /^\s+at /m.exec(stderr) }).toEqual({ code: 0, stderr: null });
    expect(at.has('status.json')).toBe(true);
    expect(at.json('serve.pid')).toBe(null);
    expect(at.events('serve_stopped')).toMatchObject([{ rounds_completed: 3 }]);
    expect(await at.run(['peek'])).toMatchObject({ code: 0 });
  });

  it('sets the clock of its files back, or makes thousands of them, has them stashed all the same', async () => {
    const at = project({
      agent: doing('mkdir many; i=0; while [ $i -lt 3000 ]; do : > many/$i; i=$((i+1)); done; touch -d 2001-01-01 many/*'),
    });
    await at.run(['round']);
    expect(at.events('dirty_detected')[0]?.files).toHaveLength(20);
    expect(at.events('orphan_stashed')).toHaveLength(1);
    expect(at.json('orphan-state.json')?.files).toHaveLength(100);
    expect(status(at)).toBe('');
  });
});
