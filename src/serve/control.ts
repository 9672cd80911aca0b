import { mkdirSync, watch } from 'node:fs';
import type { Layout } from '../state/layout.ts';
import { removeFile } from '../state/remove.ts';
import { lstatOrNull } from '../util/stat.ts';

/** Files by which `pause`, `resume`, `wake` and `ack` speak to a running serve; also from another container that shares the directory. */
const SPOKEN = new Set(['wake', 'pause.json', 'config-ack.json', 'needs-human.json', 'acked.json']);

export interface Control {
  /** Aborted at the next word of a person; ask again after each. */
  nextWord(): AbortSignal;
  /** A word that came by another way: a signal. */
  speak(): void;
  /** Whether `wake` was called since the last question. */
  takeWake(): boolean;
  close(): void;
}

/** Watches state/ by inotify. Where that is not to be had the loop's own 30-second look takes its place. */
export function watchControl(paths: Layout): Control {
  mkdirSync(paths.state, { recursive: true });
  let word = new AbortController();
  const speak = () => {
    word.abort();
    word = new AbortController();
  };
  let watcher: ReturnType<typeof watch> | null = null;
  try {
    watcher = watch(paths.state, { persistent: false }, (_event, name) => {
      if (name === null || SPOKEN.has(name)) speak();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // ENOSPC: the user's inotify watches are used up.
  }
  return {
    nextWord: () => word.signal,
    speak,
    takeWake() {
      // One that cannot be removed would wake us for ever.
      return lstatOrNull(paths.wake) !== null && removeFile(paths.wake);
    },
    close: () => watcher?.close(),
  };
}
