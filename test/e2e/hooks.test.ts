import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { notification, postRoundInput, preRoundInput, serveStartInput } from '../../src/hooks/schemas.ts';
import { limited, refused, says, WELL } from '../support/fake-agents.ts';
import { type Project, project } from '../support/project.ts';
import { until } from '../support/wait.ts';

/** claude's last record. */
const USAGE = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'x',
  total_cost_usd: 0.1,
  usage: { input_tokens: 9, output_tokens: 4 },
};
const SECRET = 'tok-3f9a7c51e2b84d06a1c5';

/** An executable beside the work tree, where no agent writes. */
function script(at: Project, name: string, text: string): string {
  const path = join(at.folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

/** Each line that a script has appended there, parsed. */
function lines(at: Project, name: string): Record<string, unknown>[] {
  const path = join(at.folder, name);
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
}

const configure = (at: Project, toml: string) => writeFileSync(at.config, `${readFileSync(at.config, 'utf8')}\n${toml}\n`);
const lives = (pid: number) => existsSync(`/proc/${pid}`) && !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

it('field bug 39, scar 69: notify is told of a person that is needed and of the end, as peek says it, without secrets and with a clean environment', async () => {
  const at = project({ agent: says([refused(401, `Invalid key ${SECRET}`)], 1), agentTable: { env: { MY_API_KEY: SECRET } } });
  const tell = script(at, 'tell', `cat >> "${at.folder}/told"; env | sort > "${at.folder}/env"; sleep 0.2; exit 0`);
  configure(at, `[notify]\ncommand = ["${tell}"]`);
  const result = await at.run(['serve', '--max-rounds', '1'], { env: { NOTIFY_SOCKET: '/run/nobody', OWN: 'kept' } });
  expect(result.code, result.stderr).toBe(0);

  const told = lines(at, 'told');
  for (const one of told) notification.parse(one);
  expect(told.map(({ event }) => event)).toEqual(['needs_human', 'stopped']);
  expect(told[0]).toMatchObject({ project: 'work', command: expect.stringContaining('agent-runner ack auth'), fields: { reason: 'auth' } });
  expect(told[0]?.sentence).toMatch(/a person is needed: .*refused by its provider/);
  expect(told[1]).toMatchObject({ fields: { reason: 'max_rounds', exit_code: 0, rounds_completed: 1 }, repeated: 0 });
  expect(told[1]?.sentence).toMatch(/^Stopped .*; go on with `agent-runner serve`/);
  expect(JSON.stringify(told)).not.toContain(SECRET);
  const env = readFileSync(join(at.folder, 'env'), 'utf8');
  expect(env).toContain('OWN=kept');
  expect(env).not.toMatch(/NOTIFY_SOCKET|MY_API_KEY|AGENT_RUNNER_ROUND/);
});

it('hooks of a round: context reaches prompt and file, failures cost nothing, post_round gets the facts', async () => {
  const at = project({
    agent: 'cat > "$(dirname "$0")/prompt"; git commit -q --allow-empty -m work; echo \'{"type":"result","is_error":false}\'',
    runtime: { dry_run: true },
  });
  const before = at.git('rev-parse', 'HEAD');
  const ci = script(at, 'ci', `cat > "${at.folder}/pre"; echo '{"context": {"ci": "red", "todo": [1]}}'`);
  const garbage = script(at, 'garbage', 'echo "all is well"');
  const fails = script(at, 'fails', 'echo "no such host" >&2; exit 7');
  const edits = script(at, 'edits', `echo more >> prompts/main.md; echo '{"context": {"ci": "green"}}'`);
  const post = script(at, 'post', `cat > "${at.folder}/after"`);
  configure(at, `[hooks]\npre_round = [["${ci}"], ["${garbage}"], ["${fails}"], ["${edits}"]]\npost_round = [["${post}"]]`);
  const result = await at.run(['round']);
  expect(result.code, result.stderr).toBe(0);

  preRoundInput.parse(lines(at, 'pre')[0]);
  expect(lines(at, 'pre')[0]).toMatchObject({
    hook: 'pre_round',
    dry_run: true,
    round_num: 1,
    git_head: before,
    context: { round_num: 1 },
  });
  expect(at.json('round-context.json')).toMatchObject({ hooks: { ci: 'green', todo: [1] } });
  expect(readFileSync(join(at.folder, 'prompt'), 'utf8')).toContain('"ci": "green"');
  expect(at.events('hook_failed')).toMatchObject([
    { hook_name: 'garbage', hook_kind: 'pre_round', error_type: 'invalid_output', round_num: 1 },
    { hook_name: 'fails', error_type: 'exit_status', error_message: 'exited with 7', traceback: 'no such host' },
  ]);
  expect(at.events('prompt_overwritten')).toMatchObject([{ hook: 'edits', prompt_path: join(at.workDir, 'prompts/main.md') }]);
  // What a hook did to the tree is its operator's work: nothing of it is stashed away with the agent's.
  expect(at.git('status', '--porcelain')).toContain('prompts/main.md');
  expect(at.git('stash', 'list')).toBe('');

  postRoundInput.parse(lines(at, 'after')[0]);
  expect(lines(at, 'after')[0]).toMatchObject({
    outcome: 'ok',
    exit_code: 0,
    moved: true,
    head_before: before,
    head_after: at.git('rev-parse', 'HEAD'),
    wait: null,
    receipt: { survivors: [], container_id: null },
  });
  const peek = JSON.parse((await at.run(['peek', '--json'])).stdout);
  expect(peek.recent_hook_failures).toHaveLength(2);
  expect(peek.plugins).toMatchObject({ pre_round_hooks: ['ci', 'garbage', 'fails', 'edits'], post_round_hooks: ['post'] });

  at.edit('[hooks]', '[plugins]\ndisable = ["garbage", "post"]\n[hooks]');
  at.edit('dry_run = true', 'disable_pre_round_hooks = true');
  writeFileSync(join(at.folder, 'after'), '');
  expect((await at.run(['round'])).code).toBe(0);
  expect(at.json('round-context.json')).not.toHaveProperty('hooks');
  expect(lines(at, 'after')).toEqual([]);
});

it('a post_round hook is told of a limit with its stated end, in redacted words', async () => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 7200;
  const at = project({ agent: says(limited(resetsAt), 1), agentTable: { adapter: 'claude' } });
  const post = script(at, 'post', `cat > "${at.folder}/after"`);
  configure(at, `[hooks]\npost_round = [["${post}"]]`);
  await at.run(['round']);
  const [facts] = lines(at, 'after');
  postRoundInput.parse(facts);
  expect(facts).toMatchObject({ outcome: 'rate_limited', exit_code: 1, wait: { until: new Date(resetsAt * 1000).toISOString() } });
});

it('a serve_start hook that fails keeps serve from starting, with 78, and the end is told', async () => {
  const at = project();
  const first = script(at, 'first', `cat > "${at.folder}/start"`);
  const vpn = script(at, 'vpn', 'echo "the VPN is down" >&2; exit 1');
  const tell = script(at, 'tell', `cat >> "${at.folder}/told"`);
  configure(at, `[hooks]\nserve_start = [["${first}"], ["${vpn}"], ["never"]]\n[notify]\ncommand = ["${tell}"]`);
  const result = await at.run(['serve']);
  expect(result.code).toBe(78);
  expect(result.stderr).toContain('AR-HOK-001');
  expect(at.events('round_start')).toEqual([]);
  expect(at.events('hook_failed')).toMatchObject([{ hook_name: 'vpn', hook_kind: 'serve_start', traceback: 'the VPN is down' }]);
  serveStartInput.parse(lines(at, 'start')[0]);
  expect(lines(at, 'told')).toMatchObject([{ event: 'stopped', fields: { reason: 'serve_start_hook', exit_code: 78 } }]);
  expect((await at.run(['peek', '--check'])).stdout).toContain('vpn exited with 1');
});

it('a stop during a pre_round hook lets the hook finish and starts no agent; a kill ends it at once', async () => {
  const at = project();
  const slow = script(at, 'slow', `echo $$ > "${at.folder}/pid"; while [ ! -e "${at.folder}/go" ]; do sleep 0.05; done`);
  configure(at, `[hooks]\npre_round = [["${slow}"]]`);
  const pid = () => Number(existsSync(join(at.folder, 'pid')) ? readFileSync(join(at.folder, 'pid'), 'utf8') : 0);
  const drained = at.start(['serve']);
  await until('the hook runs', () => pid() > 0);
  drained.child.kill('SIGTERM');
  await until('serve drains', () => drained.stderr().includes('draining'));
  expect(lives(pid())).toBe(true);
  at.release();
  expect((await drained.ended).code).toBe(0);
  expect(at.events('agent_spawn')).toEqual([]);
  expect(at.has('round-in-flight.json')).toBe(false);

  const other = project();
  const hangs = script(other, 'hangs', `echo $$ > "${other.folder}/pid"; trap '' TERM; while :; do sleep 0.05; done`);
  configure(other, `[hooks]\npre_round = [["${hangs}"]]`);
  const killed = other.start(['serve']);
  await until('the hook runs', () => existsSync(join(other.folder, 'pid')));
  const victim = Number(readFileSync(join(other.folder, 'pid'), 'utf8'));
  expect((await other.run(['kill'])).code).toBe(0);
  expect((await killed.ended).signal).toBeNull();
  expect(lives(victim)).toBe(false);
  expect(other.events('agent_spawn')).toEqual([]);
});

it('nothing of a hook survives the start after serve was killed with -9 in the middle of it', async () => {
  const at = project({ agent: WELL });
  const inner = script(at, 'inner', `trap '' TERM HUP; echo $$ > "${at.folder}/pid"; while :; do sleep 0.05; done`);
  const hook = script(at, 'hook', `[ -e "${at.folder}/pid" ] && exit 0; setsid "${inner}" & cat >/dev/null; while :; do sleep 0.05; done`);
  configure(at, `[hooks]\npost_round = [["${hook}"]]`);
  const serve = at.start(['serve']);
  await until('the hook runs', () => existsSync(join(at.folder, 'pid')) && readFileSync(join(at.folder, 'pid'), 'utf8') !== '');
  serve.child.kill('SIGKILL');
  await serve.ended;
  const pid = Number(readFileSync(join(at.folder, 'pid'), 'utf8'));
  expect(lives(pid)).toBe(true);
  expect((await at.run(['serve', '--max-rounds', '1'])).code).toBe(0);
  expect(lives(pid)).toBe(false);
  expect(at.events('hook_failed')).toMatchObject([{ hook_name: 'hook', hook_kind: 'post_round', error_type: 'supervisor_died' }]);
});

it('a hook in the work tree that an agent rewrites is not run, also after a restart, until a person says so', async () => {
  const at = project({ agent: `cat >/dev/null; echo "touch ${'$'}(dirname "$0")/../planted" >> hooks/mine.sh; ${WELL}` });
  at.write('hooks/mine.sh', `echo run >> "${at.folder}/ran"\n`);
  at.git('add', '-A');
  at.git('commit', '-q', '-m', 'a hook');
  configure(at, '[vcs]\ndirty_action = "auto_commit"\n[hooks]\npre_round = [["sh", "hooks/mine.sh"]]');
  const started = await at.run(['serve', '--max-rounds', '2']);
  expect(started.code).toBe(0);
  expect(started.stderr).toContain('AR-HOK-003');
  const ran = () => readFileSync(join(at.folder, 'ran'), 'utf8').trim().split('\n').length;
  expect(ran()).toBe(1);
  const changed = { hook_name: 'mine.sh', hook_kind: 'pre_round', paths: [join(at.workDir, 'hooks/mine.sh')] };
  // Each round's edit is news, and each is told once.
  expect(at.events('hook_changed')).toMatchObject([changed, changed]);
  expect(at.events('hook_failed')).toMatchObject([{ error_type: 'changed', round_num: 2 }]);
  expect((await at.run(['peek', '--check'])).stdout).toContain('agent-runner ack hooks');

  at.setAgent(WELL);
  await at.run(['round']);
  expect(ran()).toBe(1);
  expect((await at.run(['ack', 'hooks'])).code).toBe(0);
  await at.run(['round']);
  expect(ran()).toBe(2);
  expect((await at.run(['peek', '--json', '--select', 'needs_human'])).stdout.trim()).toBe('null');
});

it('reload adopts hooks and notify between rounds; an agent without its adapter is read with care', async () => {
  const at = project({ agent: says([USAGE]), runtime: { restart_delay_s: 600 }, agentTable: { adapter: 'codex' } });
  configure(at, '[plugins]\ndisable = ["codex"]');
  const tell = script(at, 'tell', `cat >> "${at.folder}/told"`);
  const serve = at.start(['serve']);
  await at.event('agent_exit');
  // codex's own adapter would not know this record.
  expect(at.events('agent_usage_recorded')).toMatchObject([{ output_tokens: 4 }]);
  await at.event('wait_started');
  configure(at, `[notify]\ncommand = ["${tell}"]\non = ["config_reloaded", "stopped"]`);
  serve.child.kill('SIGHUP');
  await until('it is told', () => lines(at, 'told').length === 1);
  serve.child.kill('SIGTERM');
  expect((await serve.ended).code).toBe(0);
  expect(lines(at, 'told').map(({ event }) => event)).toEqual(['config_reloaded', 'stopped']);
});
