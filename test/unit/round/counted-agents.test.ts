import { describe, expect, it } from 'vitest';
import { type LoadedConfig, parseConfig } from '../../../src/config/load.ts';
import { limitsCanBeCounted } from '../../../src/round/checks/limits.ts';
import { countedAgents, unsurePrices } from '../../../src/round/counted-agents.ts';
import { AT, fileWith } from '../config/sample.ts';

/** With phases, kimi stands in for each of them. */
function loadedOf(changes: Record<string, readonly string[]>): LoadedConfig {
  const loaded = parseConfig(fileWith(changes), AT);
  const { agent, phases } = loaded.config;
  if (changes.phases !== PHASES.phases) return loaded;
  for (const one of [agent, phases.overrides.build?.agent])
    if (one !== undefined) one.fallback = [{ ...agent, command: ['kimi'], fallback: [] }];
  return loaded;
}
const PHASES = {
  phases: ['list = ["plan", "build"]'],
  'phases.build.agent': ['command = ["codex", "exec"]'],
};

async function checked(limits: string[], changes: Record<string, readonly string[]> = {}) {
  const results = await limitsCanBeCounted({ loaded: loadedOf({ limits, ...changes }), profiles: [], env: {}, tree: {} as never });
  return results.map((result) =>
    result.ok ? `${result.name} ok` : `${result.name} ${result.code} ${result.permanent}: ${result.reason} | ${result.remedy}`,
  );
}

describe('limits that need what a CLI tells', () => {
  it('name every agent that may run and tells nothing, with its phase and its place', async () => {
    expect((await countedAgents(loadedOf(PHASES))).map(({ who, tokens, cost }) => [who, tokens, cost])).toEqual([
      ['claude (phase plan)', true, true],
      ['kimi (fallback 1)', false, false],
      ['codex (phase build)', true, false],
    ]);
    expect(await checked(['max_cost_usd_per_day = 5', 'max_cost_usd_total = 50', 'max_tokens_per_day = 1000'], PHASES)).toEqual([
      'cost_limit AR-CHK-015 true: limits.max_cost_usd_per_day and limits.max_cost_usd_total cannot be kept: no cost is told by kimi (fallback 1), codex (phase build) | remove the limit, or set limits.max_rounds_per_hour instead, which bounds no total: in all, only runtime.max_rounds and limits.max_unproductive_rounds can',
      'tokens_limit AR-CHK-015 true: limits.max_tokens_per_day cannot be kept: no tokens are told by kimi (fallback 1) | remove the limit, or set limits.max_rounds_per_hour instead',
    ]);
  });

  it('are fine with a CLI that tells, and not asked without such a limit', async () => {
    expect(await checked(['max_cost_usd_per_day = 5', 'max_tokens_per_day = 1000'])).toEqual(['cost_limit ok', 'tokens_limit ok']);
    expect(await checked(['max_rounds_per_hour = 5', 'max_unproductive_rounds = 5'], PHASES)).toEqual([]);
  });

  it('the base agent does not matter when every phase brings its own', async () => {
    const changes = { phases: ['list = ["build"]'], agent: ['command = ["kimi"]'], 'phases.build.agent': ['command = ["claude"]'] };
    expect(await checked(['max_cost_usd_per_day = 5'], changes)).toEqual(['cost_limit ok']);
  });

  it('a price for some models is a warning, and the tokens are named', async () => {
    const limits = ['max_cost_usd_per_day = 5'];
    expect(await checked(limits, { agent: ['command = ["pi"]'] })).toEqual(['cost_limit ok']);
    expect(await unsurePrices(loadedOf({ limits, agent: ['command = ["pi"]'] }))).toEqual([
      'limits.max_cost_usd_per_day may count too little: pi tells a price for some models alone; limits.max_tokens_per_day counts them all',
    ]);
    expect(await unsurePrices(loadedOf({ limits }))).toEqual([]);
    expect(await unsurePrices(loadedOf({ agent: ['command = ["pi"]'] }))).toEqual([]);
  });

  it('an adapter that cannot be loaded, or is disabled, tells nothing', async () => {
    expect((await checked(['max_tokens_per_day = 5'], { agent: ['adapter = "./none.mjs"'] }))[0]).toContain(
      'no tokens are told by claude (agent.adapter: /srv/project/none.mjs cannot be loaded',
    );
    expect((await checked(['max_tokens_per_day = 5'], { plugins: ['disable = ["claude"]'] }))[0]).toContain('no tokens are told by claude');
  });
});
