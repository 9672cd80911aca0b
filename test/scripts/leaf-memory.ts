// In a machine with control groups of version 2: a supervisor in its sub-leaf, two rounds in leaves with a bound. Prints what it saw.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cgroupFacts } from '../../src/process/cgroup.ts';
import { type Leaf, makeSubLeaf, roundLeaf } from '../../src/process/cgroup-leaf.ts';

const MB = 1024 * 1024;
const UNIT = '/sys/fs/cgroup/system.slice/agent-runner@shop.service';

writeFileSync('/sys/fs/cgroup/cgroup.subtree_control', '+memory +pids');
mkdirSync('/sys/fs/cgroup/system.slice');
writeFileSync('/sys/fs/cgroup/system.slice/cgroup.subtree_control', '+memory +pids');
mkdirSync(UNIT);
writeFileSync(`${UNIT}/cgroup.procs`, String(process.pid));
writeFileSync(`${UNIT}/memory.max`, String(512 * MB));

const facts = cgroupFacts();
const leaves = makeSubLeaf(facts);
if (typeof leaves === 'string') throw new Error(leaves);
const again = cgroupFacts();

/** Takes `mb` megabytes in a child of the process that joined, as an agent's tools do. */
async function round(id: string, mb: number, bound: number) {
  const leaf = roundLeaf(leaves as Exclude<typeof leaves, string>, id) as Leaf;
  const limited = leaf.limitMemory(bound * MB);
  const hog = `const held = []; for (let i = 0; i < ${mb}; i++) held.push(Buffer.alloc(${MB}, 1)); console.log('done')`;
  const child: ChildProcess = spawn('sh', [
    '-c',
    'echo $$ >"$0"; (sleep 60 & "$1" -e "$2"; echo "child $?"; sleep 0.2); echo end',
    leaf.procs,
    process.execPath,
    hog,
  ]);
  let output = '';
  child.stdout?.on('data', (chunk) => (output += chunk));
  const end = await new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  );
  const leftBefore = leaf.members().length;
  const begun = performance.now();
  const killed = leaf.kill();
  while (leaf.members().length > 0) await new Promise((done) => setTimeout(done, 1));
  const killMs = performance.now() - begun;
  const memory = leaf.memory();
  while (!leaf.remove()) await new Promise((done) => setTimeout(done, 5));
  return { limited, end, output, leftBefore, killed, killMs, memory };
}

const fits = await round('fits', 20, 200);
const bursts = await round('bursts', 300, 120);
console.log(
  JSON.stringify({
    facts,
    samePath: again.path === facts.path,
    controllers: leaves.controllers,
    self: readFileSync('/proc/self/cgroup', 'utf8').trim(),
    fits,
    bursts,
  }),
);
