import { setFlagsFromString } from 'node:v8';

// A daemon that waits most of its life: V8 is told to prefer a small process over peak speed. Imported first, so that it holds for all
// that is loaded after it. Each measured by bench/soak.mjs, docs/decisions/flat-memory.md has the figures.
setFlagsFromString('--optimize-for-size');
// The young generation stays at its first size: what a round leaves behind is collected a little more often, and grows no heap.
setFlagsFromString('--semi-space-growth-factor=1');
// Only what runs really hot (an agent that floods its output) is worth the optimizing compiler: its work space and the pages of its own
// code are 10 MB that never come back. An unknown flag would print a line on stderr, so each Node gets its own.
const major = Number.parseInt(process.versions.node, 10);
setFlagsFromString(major < 22 ? '--interrupt-budget=20000000' : '--invocation-count-for-turbofan=100000');
