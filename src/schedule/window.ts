import { DAY_MINUTES } from './week.ts';

/** `[WEEKDAYS ]HH:MM-HH:MM`, read. */
export interface Window {
  /** As it was written: what events and sentences call it. */
  text: string;
  /** 0 is Monday; ascending. The days on which it begins. */
  days: readonly number[];
  /** Minutes since midnight. `end` is exclusive; not after `start`: on the day after. */
  start: number;
  end: number;
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const CLOCKS = /^(?:(?<days>.*?)\s+)?(?<from>[^\s,]*?)-(?<to>[^\s,-]*)$/;

export interface WindowProblem {
  problem: string;
  remedy: string;
}

/** Reads one window, or says what is wrong with it and what to write instead. */
export function parseWindow(text: string): Window | WindowProblem {
  const { days: names, from = '', to = '' } = CLOCKS.exec(text.trim())?.groups ?? {};
  if (!/\d/.test(from) || !/\d/.test(to)) return wrong('is no window', 'Write it like "22:00-06:00" or "Mon-Fri 22:00-06:00".');
  const days = names === undefined ? EVERY_DAY : daysOf(names);
  if ('problem' in days) return days;
  const [start, end] = [minuteOf(from), minuteOf(to)];
  if (start === null || end === null) {
    const clock = start === null ? from : to;
    return wrong(`has a time ${JSON.stringify(clock)} that is none`, 'Write hours and minutes with two digits each, from 00:00 to 23:59.');
  }
  if (start === DAY_MINUTES) return wrong('begins at 24:00', 'Write 00:00, and the day after; 24:00 can only be an end.');
  if (start === end) return wrong('begins and ends at the same time', 'For the whole day write 00:00-24:00.');
  return { text: text.trim(), days, start, end };
}

/** Minutes since midnight; 24:00 is 1440. */
function minuteOf(clock: string): number | null {
  if (clock === '24:00') return DAY_MINUTES;
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock);
  return found === null ? null : Number(found[1]) * 60 + Number(found[2]);
}

function daysOf(names: string): number[] | WindowProblem {
  const days = new Set<number>();
  for (const token of names.split(',').map((part) => part.trim())) {
    if (token === '') return wrong('has an empty place in its list of weekdays', 'Remove the comma that is too many.');
    const [first = '', last = first, ...more] = token.split('-').map((part) => part.trim());
    const [from, to] = [dayOf(first), dayOf(last)];
    if (from === null || to === null || more.length > 0) {
      const name = from === null ? first : last;
      return wrong(
        `has a weekday ${JSON.stringify(more.length > 0 ? token : name)} that is none`,
        'Use Mon, Tue, Wed, Thu, Fri, Sat and Sun.',
      );
    }
    if (from > to) {
      const remedy = `Weekday ranges go up from Mon to Sun: write ${WEEKDAYS[from]}${from === 6 ? '' : '-Sun'},Mon${to === 0 ? '' : `-${WEEKDAYS[to]}`}.`;
      return wrong(`has a range of weekdays ${token} that goes backwards`, remedy);
    }
    for (let day = from; day <= to; day++) days.add(day);
  }
  return [...days].sort();
}

function dayOf(name: string): number | null {
  const day = WEEKDAYS.findIndex((known) => known.toLowerCase() === name.toLowerCase());
  return day === -1 ? null : day;
}

function wrong(problem: string, remedy: string): WindowProblem {
  return { problem, remedy };
}
