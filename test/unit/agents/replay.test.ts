import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adapterOfIdentity } from '../../../src/agents/registry.ts';
import type { RunEnd } from '../../../src/run/types.ts';
import { inShort, replay } from '../../support/replay.ts';
import { SAMPLE_OUTCOMES } from '../../support/sample-outcomes.ts';
import { samplesIn } from '../../support/samples.ts';
import { ROOT } from '../../support/sources.ts';

const FIXTURES = join(ROOT, 'test/fixtures/agents');

interface Case {
  version: string;
  exit: number | null;
  ended: RunEnd;
  seconds: number;
  command: string[];
  is: string;
}

/** Real output of real CLIs against a scripted provider, trimmed; `cases.json` beside it says how it was made and what it is. */
describe.each(readdirSync(FIXTURES))('reference case 28: recorded output of %s', (cli) => {
  const folder = join(FIXTURES, cli);
  const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as Record<string, Case>;
  const adapter = adapterOfIdentity(cli);

  it.each(Object.entries(cases))('%s', (name, { exit, ended, seconds, command, is }) => {
    const stdout = join(folder, `${name}.jsonl`);
    expect(inShort(replay({ adapter, stdout, command, exitCode: exit, end: ended, seconds }))).toBe(is);
  });

  it('every recording has its case, and every version its recordings', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
    expect(files.map((file) => file.slice(0, -'.jsonl'.length)).sort()).toEqual(Object.keys(cases).sort());
    expect([...new Set(Object.values(cases).map(({ version }) => version))].sort()).toEqual([...adapter.understands.recorded].sort());
  });

  it('scar 46, field bug 38: where the CLI was still trying when it was ended, nothing is claimed and nothing waits', () => {
    const ended = Object.entries(cases).filter(([, { ended: how }]) => how === 'timeout');
    for (const [name, { exit, ended: end, seconds, command }] of ended) {
      const turn = replay({ adapter, stdout: join(folder, `${name}.jsonl`), command, exitCode: exit, end, seconds });
      expect.soft(turn).toMatchObject({ outcome: 'timeout', finished: false, error: null });
    }
  });
});

const samples = process.env.AGENT_RUNNER_SAMPLES;

describe.runIf(samples)('every recording in the folder that AGENT_RUNNER_SAMPLES names', () => {
  const recordings = samples === undefined ? [] : samplesIn(samples);

  it.each(recordings)('%s', (name, recording) => {
    expect(inShort(replay(recording))).toBe(SAMPLE_OUTCOMES[name]);
  });

  it('is known, and nothing that is known is missing', () => {
    expect(recordings.map(([name]) => name).sort()).toEqual(Object.keys(SAMPLE_OUTCOMES).sort());
  });
});
