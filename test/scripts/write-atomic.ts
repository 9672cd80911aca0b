// write-atomic.ts PATH: writes ever new whole states to PATH until it is killed.
import { writeAtomic } from '../../src/state/atomic.ts';

const path = process.argv[2] ?? '';
for (let n = 0; ; n++) {
  writeAtomic(path, JSON.stringify({ n, body: String(n).repeat(20_000), end: n }));
  if (n === 0) console.log('writing');
}
