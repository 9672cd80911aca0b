import { locateProject } from '../config/locate.ts';
import { peek } from '../observe/peek/peek.ts';
import type { Logger } from '../serve/log.ts';
import { NOBODY, type Notifier } from '../serve/notifier.ts';
import { openNotifier, systemdNotify, takeNotifyEnvironment } from '../service/notify.ts';
import { systemClock } from '../util/clock.ts';
import type { GlobalOptions } from './verbs.ts';

/** Tells the service manager that started us, if one did, in the words of `peek`. */
export function openServiceNotifier(options: GlobalOptions, log: Logger): Notifier {
  const service = takeNotifyEnvironment(process.env);
  if (service === null) return NOBODY;
  return openNotifier({
    send: systemdNotify(service.socket),
    watchdogMs: service.watchdogMs,
    clock: systemClock,
    sentence: () => sentenceOf(options),
    problem: (words) => log.error(words),
  });
}

function sentenceOf({ config, configGiven }: GlobalOptions): string {
  try {
    return peek(locateProject(config, configGiven), configGiven, { round: null, log: false, events: 0 }, systemClock.now()).sentence;
  } catch {
    return 'running';
  }
}
