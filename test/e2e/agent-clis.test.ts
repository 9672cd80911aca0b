import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says } from '../support/fake-agents.ts';
import { project } from '../support/project.ts';
import { ROOT } from '../support/sources.ts';

/** Prints what a real CLI printed, on the streams on which it did, and ends as it did. */
const recorded = (name: string, exit: number) => {
  const stem = join(ROOT, 'test/fixtures/agents', name);
  return `cat >/dev/null; [ ! -e '${stem}.stderr' ] || cat '${stem}.stderr' >&2; cat '${stem}.jsonl'; exit ${exit}`;
};

describe('scar 32: from the pipe of a real round to its events, what a real CLI printed', () => {
  it.each<[name: string, exit: number, outcome: string, code: number, classification: string | null]>([
    ['claude/ok', 0, 'ok', 0, null],
    ['claude/429-maxretries1', 1, 'rate_limited', 1, 'rate_limit_model'],
    ['claude/400', 1, 'provider_error', 1, 'billing'],
    ['codex/401', 1, 'auth_error', 1, null],
    ['gemini/401', 145, 'auth_error', 1, null],
    ['gemini/no-login', 41, 'auth_error', 1, null],
    ['opencode/429', 1, 'rate_limited', 1, 'rate_limit_account'],
    ['pi/500', 0, 'provider_error', 1, 'api_transient_5xx'],
    ['pi/newer-429x2', 0, 'ok', 0, null],
    ['qwen/401', 0, 'auth_error', 1, null],
    ['qwen/drop', 0, 'provider_error', 1, 'network'],
  ])('%s', async (name, exit, outcome, code, classification) => {
    const adapter = name.split('/', 1)[0] ?? '';
    const at = project({ agent: recorded(name, exit), agentTable: { adapter } });
    expect((await at.run(['round'])).code).toBe(code);
    expect(at.outcomes()).toEqual([outcome]);
    const told = at.events('transient_error_detected');
    expect(told.map((event) => event.classification)).toEqual(classification === null ? [] : [classification]);
    if (name === 'opencode/429') expect(told[0]?.reset_at_epoch).toBe(1_795_973_553);
    expect(at.events('agent_auth_error_detected')).toHaveLength(outcome === 'auth_error' ? 1 : 0);
    if (outcome === 'ok')
      expect(at.events('agent_usage_recorded')[0]).toMatchObject({ input_tokens: 240, cached_tokens: 100, success: true });
  });

  it('field bug 38: a good round full of limits, with a failing tool and a diff of them, starts nothing', async () => {
    const words = 'usage limit reached|1766502000, 429 Too Many Requests, 401 Unauthorized';
    const at = project({
      agentTable: { adapter: 'claude' },
      agent: says([
        { type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: words }] } },
        { type: 'result', is_error: false, result: words, usage: { input_tokens: 1, output_tokens: 9 } },
      ]).replace('; exit', `; echo '+ ${words}'; echo 'Error: 429 Too Many Requests' >&2; exit`),
    });
    expect((await at.run(['round'])).code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(at.events('transient_error_detected')).toEqual([]);
  });

  it('field bug 38: the last lines of a failed run of an unknown CLI state the end of its limit', async () => {
    const at = project({ agent: 'cat >/dev/null; echo working; echo "You\'ve hit your usage limit. Try again in 2 hours." >&2; exit 1' });
    const before = Math.floor(Date.now() / 1000);
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['rate_limited']);
    const wait = at.events('transient_error_detected')[0]?.reset_at_epoch - before;
    expect(wait).toBeGreaterThanOrEqual(7200);
    expect(wait).toBeLessThan(7230);
  });
});

describe('an adapter of one’s own', () => {
  const MODULE = `export default {
    read() {
      let error = null;
      return {
        line(text) {
          if (text === 'BOOM') throw new Error('not prepared for this');
          if (text !== 'QUOTA') return undefined;
          error = { kind: 'rate_limited', classification: 'rate_limit_account', resetAtEpoch: 1900000000, raw: text };
          return { turn: 'result', error };
        },
        conclude: () => ({ finished: true, error, usage: { model: 'mine', input_tokens: 3, output_tokens: 4 } }),
      };
    },
  };`;
  const ours = { agentTable: { adapter: './adapter.mjs' } };

  it('decides what the round was, in round and in its dry run', async () => {
    const at = project({ ...ours, agent: 'cat >/dev/null; echo QUOTA' });
    at.write('adapter.mjs', MODULE);
    at.git('add', '.');
    at.git('commit', '-q', '-m', 'adapter');
    expect((await at.run(['round', '--dry-run'])).code).toBe(0);
    await at.run(['round']);
    expect(at.outcomes()).toEqual(['rate_limited']);
    expect(at.events('transient_error_detected')[0]).toMatchObject({ reset_at_epoch: 1_900_000_000, classification: 'rate_limit_account' });
    expect(at.events('agent_usage_recorded')[0]).toMatchObject({ model: 'mine', input_tokens: 3, output_tokens: 4, cost_usd: null });
  });

  it('that throws ends neither the round nor serve, and is told', async () => {
    const at = project({ ...ours, agent: 'cat >/dev/null; for i in $(seq 1 50); do echo BOOM; done' });
    at.write('adapter.mjs', MODULE);
    const { code, stderr } = await at.run(['serve', '--once']);
    expect(code).toBe(0);
    expect(at.outcomes()).toEqual(['ok']);
    expect(`${stderr}${at.has('serve.log')}`).toContain('not prepared for this');
  });

  it.each([
    ['gone', null, 'AR-AGT-002'],
    ['is none', 'export default {};', 'AR-AGT-003'],
  ])('that %s is a mistake of the configuration: 78, and no agent starts', async (_name, text, code) => {
    for (const verb of ['round', 'serve']) {
      const at = project({ ...ours });
      if (text !== null) at.write('adapter.mjs', text);
      const { code: exit, stderr } = await at.run([verb]);
      expect({ verb, exit, told: stderr.includes(code) }).toEqual({ verb, exit: 78, told: true });
      expect(at.events('agent_spawn')).toEqual([]);
    }
  });
});
