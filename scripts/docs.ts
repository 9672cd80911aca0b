// `tsx scripts/docs.ts` writes the generated tables into docs/*.md; `--check` only says which file is out of date.
import { writeFileSync } from 'node:fs';
import { staleDocs } from './docs/markers.ts';

const check = process.argv.includes('--check');
const stale = await staleDocs(new URL('../', import.meta.url).pathname);

for (const { path, text } of stale) {
  if (!check) writeFileSync(path, text);
  console.log(`${check ? 'out of date' : 'written'}: ${path}`);
}
if (check && stale.length > 0) {
  console.error("run 'npm run docs'");
  process.exitCode = 1;
}
