// Bundles src/cli/main.ts and what it imports lazily into dist/: one small entry file that starts fast, chunks for the rest.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const outdir = new URL('../dist/', import.meta.url).pathname;
const { readFile } = await import('node:fs/promises');
const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: { main: new URL('../src/cli/main.ts', import.meta.url).pathname },
  outdir,
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
await chmod(`${outdir}main.js`, 0o755);
