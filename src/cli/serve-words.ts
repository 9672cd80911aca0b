import { locateProject } from '../config/locate.ts';
import { tailEvents } from '../events/reader.ts';
import type { Words } from '../hooks/announcer.ts';
import { gatherFacts } from '../observe/peek/gather.ts';
import { sentence } from '../observe/peek/sentence.ts';
import { situationOf } from '../observe/peek/situation.ts';
import { systemClock } from '../util/clock.ts';
import type { GlobalOptions } from './verbs.ts';

/** As many as `peek` reads. */
const NEWEST_EVENTS = 300;

/** What `peek` says, for a notification. `stopped`: as it will say when this process is gone. */
export function wordsOfPeek({ config, configGiven }: GlobalOptions, stopped: boolean): Words {
  const located = locateProject(config, configGiven);
  const events = located.logDir === null ? [] : tailEvents(located.logDir, { limit: NEWEST_EVENTS });
  const facts = gatherFacts(located, configGiven, events);
  const seen = stopped && facts.stopped?.parked === undefined ? { ...facts, supervisor: { kind: 'none' } as const } : facts;
  const now = systemClock.now();
  return { sentence: sentence(seen, now), command: situationOf(seen, now).need?.command ?? null };
}
