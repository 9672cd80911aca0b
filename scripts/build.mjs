// Bundles src/cli/main.ts and what it imports lazily into dist/: one small entry file that starts fast, chunks for the rest. The new
// folder takes the old one's place in one step: a failed build leaves the old one, and nobody who runs it meanwhile finds it half there.
import { chmod, readFile, rename, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
const fresh = `${root}dist.new-${process.pid}`;
const old = `${root}dist.old-${process.pid}`;

try {
  await build({
    entryPoints: { main: `${root}src/cli/main.ts` },
    outdir: fresh,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    define: { AGENT_RUNNER_VERSION: JSON.stringify(version) },
    // CommonJS dependencies that are bundled into ES modules still ask for require().
    banner: {
      js: "import { createRequire as agentRunnerCreateRequire } from 'node:module'; const require = agentRunnerCreateRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  await chmod(`${fresh}/main.js`, 0o755);
  await rename(`${root}dist`, old).catch(() => {});
  await rename(fresh, `${root}dist`);
} finally {
  await rm(fresh, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
}
