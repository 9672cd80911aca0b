import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { runCommand } from '../../../src/process/command.ts';
import { requireEngine, userOf } from '../../support/engines.ts';

it('podman rootless, with an ordinary user as supervisor: control directory, stop ladder, late containers, verdicts', {
  timeout: 120_000,
}, async (context) => {
  requireEngine(context, 'podman rootless');
  const user = process.env.AGENT_RUNNER_TEST_PODMAN_USER ?? '';
  const { uid, home } = userOf(user);
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-rootless-'));
  try {
    const driver = join(folder, 'driver.mjs');
    await build({
      entryPoints: [resolve(import.meta.dirname, '../../scripts/rootless-driver.ts')],
      outfile: driver,
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    execFileSync('chown', ['-R', user, folder]);
    const env = ['env', '-i', '-C', folder, `HOME=${home}`, `XDG_RUNTIME_DIR=/run/user/${uid}`, `PATH=${process.env.PATH}`];
    const result = await runCommand(['runuser', '-u', user, '--', ...env, process.execPath, driver, folder], { timeoutMs: 110_000 });
    expect(result.code, result.stderr).toBe(0);
    const seen = JSON.parse(result.stdout);
    for (const name of ['plain', 'keepId', 'uid']) {
      expect(seen[name], name).toEqual({ code: 0, done: { done: true, reason: 'enough' }, stop: { ok: true, acted: false } });
    }
    const nothing = { containers: [], processes: [] };
    expect(seen.deaf).toMatchObject({ ok: true, acted: true, left: nothing });
    expect(seen.deaf.ms).toBeLessThan(3_000);
    for (const late of seen.late) expect(late).toMatchObject({ ok: true, left: nothing });
    expect(seen.verdicts).toEqual({ says127: 'agent', noProgram: 'container_error' });
    expect(seen.folderGone).toBe(true);
    console.log(
      `podman rootless: deaf container ended in ${Math.round(seen.deaf.ms)} ms with a grace of 1 s; late: ${JSON.stringify(seen.late.map((late: { delay: number; detail: string }) => [late.delay, late.detail]))}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
