import { describe, expect, it } from 'vitest';
import { createExplainer } from '../../../src/agents/explain.ts';
import { adapterOfIdentity } from '../../../src/agents/registry.ts';
import { blocksOf } from '../../support/markdown.ts';

const blocks = blocksOf('docs/agents.md').filter(({ language }) => language === 'json');

describe('the good turns that docs/agents.md shows are good turns', () => {
  it.each([
    ['claude', 0, 0.002875],
    ['codex', 1, null],
  ])('%s', (cli, block, cost) => {
    const explainer = createExplainer(adapterOfIdentity(cli));
    for (const line of (blocks[block]?.text ?? '').trimEnd().split('\n')) explainer.line(line);
    const { verdict } = explainer.conclude({ exitCode: 0, tail: '', nowEpoch: 0, zone: 'UTC' });
    expect(verdict).toMatchObject({ finished: true, error: null, usage: { output_tokens: 50, cost_usd: cost, tool_call_count: 1 } });
  });
});
