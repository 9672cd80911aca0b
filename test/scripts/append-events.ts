// append-events.ts LOG_DIR WRITER COUNT: appends COUNT events as fast as it can.
import { openEvents } from '../../src/events/writer.ts';
import { systemClock } from '../../src/util/clock.ts';

const [logDir = '', writer = '', count = '0'] = process.argv.slice(2);
const { emit } = openEvents(logDir, systemClock);
// Lines of very different length: a mixture would show at once.
for (let n = 0; n < Number(count); n++) emit('status_recovered', { reason: `${writer}:${n}:${'x'.repeat((n * 37) % 1500)}` });
