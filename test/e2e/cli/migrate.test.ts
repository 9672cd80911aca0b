import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cli, testProject } from '../../support/cli.ts';

const OLD = '[vcs] # tree\norphan_action = "stash" # keep\n';

it('migrate --dry-run shows a diff that patch takes, and writes nothing', async () => {
  const { config } = testProject(OLD);
  const before = readFileSync(config, 'utf8');
  const { code, stdout, stderr } = await cli(['migrate', '--dry-run', '--config', config]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('-orphan_action = "stash" # keep\n+dirty_action = "stash" # keep\n'),
  });
  expect(stderr).toContain('would do: vcs.orphan_action: renamed to vcs.dirty_action');
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(existsSync(`${config}.bak`)).toBe(false);
});

it('migrate rewrites the file, keeps the old one, tells it in the event log; a second run changes nothing', async () => {
  const { config, logDir } = testProject(OLD);
  const before = readFileSync(config, 'utf8');
  expect(await cli(['migrate', '--config', config])).toMatchObject({ code: 0, stdout: expect.stringContaining('done: vcs.orphan_action') });
  expect(readFileSync(config, 'utf8')).toContain('dirty_action = "stash" # keep');
  expect(readFileSync(`${config}.bak`, 'utf8')).toBe(before);
  const month = new Date().toISOString().slice(0, 7);
  expect(JSON.parse(readFileSync(`${logDir}/events-${month}.jsonl`, 'utf8'))).toMatchObject({
    event: 'config_migrated',
    applied: ['orphan-action: vcs.orphan_action', 'schema-version: schema_version'],
    manual: [],
    path: config,
  });

  const again = await cli(['--json', 'migrate', '--config', config]);
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, backup: null, applied: [], manual: [], diff: '' });
  expect(existsSync(`${config}.bak.2`)).toBe(false);
});

it('scar 74: what a person has to decide is told with its line, the rest is done, exit 1', async () => {
  const { config } = testProject('[vcs]\norphan_action = "stash"\ndirty_action = "ignore"\n[goal]\nledger = "g.md"\n');
  const { code, stdout } = await cli(['migrate', '--json', '--config', config]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    changed: true,
    dry_run: false,
    applied: [{ id: 'goal' }, { id: 'schema-version' }],
    manual: [{ id: 'orphan-action', key: 'vcs.orphan_action', line: 12, remedy: 'Keep the one that is meant.' }],
  });
  expect(await cli(['migrate', '--config', config])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`BY HAND: ${config}:12: vcs.orphan_action: is given together with vcs.dirty_action`),
  });
});

it('a byte order mark is taken away; a file that is no TOML, or none, is refused with 78', async () => {
  const { config } = testProject();
  writeFileSync(config, `\uFEFF${readFileSync(config, 'utf8')}`);
  expect((await cli(['migrate', '--config', config])).code).toBe(0);
  expect(readFileSync(config, 'utf8')).not.toContain('\uFEFF');
  writeFileSync(config, '[agent\n');
  expect(await cli(['migrate', '--config', config])).toMatchObject({ code: 78, stderr: expect.stringContaining('AR-CFG-007') });
  expect(await cli(['migrate', '--config', `${config}.none`])).toMatchObject({ code: 78, stderr: expect.stringContaining('AR-CFG-002') });
});

it('is refused inside a round, where a dry run is not', async () => {
  const { config, logDir } = testProject(OLD);
  const env = { AGENT_RUNNER_ROUND_ID: 'x', AGENT_RUNNER_LOG_DIR: logDir };
  expect(await cli(['migrate', '--config', config], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('AR-CLI-004') });
  expect((await cli(['migrate', '--dry-run', '--config', config], { env })).code).toBe(0);
});
