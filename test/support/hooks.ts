import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventFields, EventKind } from '../../src/events/catalogue.ts';
import type { Emit } from '../../src/events/emit.ts';
import { openHookJournal } from '../../src/hooks/journal.ts';
import { HOOK_LIMITS, type HookLimits } from '../../src/hooks/limits.ts';
import type { HookWorld } from '../../src/hooks/world.ts';
import { layout } from '../../src/state/layout.ts';
import { systemClock } from '../../src/util/clock.ts';
import { testFolder } from './folder.ts';

export interface TestHooks {
  folder: string;
  workDir: string;
  world: HookWorld;
  events: { kind: EventKind; fields: Record<string, unknown> }[];
  warnings: string[];
  /** An executable outside of work_dir; its path. */
  script(name: string, text: string): string;
  /** What a script has written there; '' when nothing. */
  read(name: string): string;
}

/** What hooks need, with short times and without a supervisor around. */
export function testHooks(limits: Partial<HookLimits> = {}): TestHooks {
  const folder = testFolder();
  const [workDir, logDir] = [join(folder, 'work'), join(folder, 'logs')];
  for (const path of [workDir, join(logDir, 'state')]) mkdirSync(path, { recursive: true });
  const events: TestHooks['events'] = [];
  const warnings: string[] = [];
  const paths = layout(logDir);
  const emit: Emit = <K extends EventKind>(kind: K, fields: EventFields<K>) => void events.push({ kind, fields: { ...fields } });
  const world: HookWorld = {
    paths,
    clock: systemClock,
    emit,
    env: { PATH: process.env.PATH, NOTIFY_SOCKET: '/run/x', AGENT_RUNNER_ROUND_ID: 'outer', OWN: 'kept' },
    limits: { ...HOOK_LIMITS, killAfterMs: 200, ...limits },
    journal: openHookJournal(paths),
    programs: { changed: () => [], isNews: () => true },
    onChanged: () => {},
    warn: (words) => void warnings.push(words),
    debug: () => {},
  };
  return {
    folder,
    workDir,
    world,
    events,
    warnings,
    script(name, text) {
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return path;
    },
    read(name) {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return '';
      }
    },
  };
}
