import { createTask, type ParsedFields, validateDetailed } from 'node-cron';

/** A cron expression, read by node-cron. */
export interface Cron {
  /** As it was written. */
  text: string;
  /** Ascending. */
  seconds: readonly number[];
  minutes: readonly number[];
  hours: readonly number[];
  /** Whether it starts on that day of the calendar; `month` is 1 to 12. */
  onDay(year: number, month: number, day: number): boolean;
}

/** Reads an expression of five or six fields (the first of six: seconds), or says what is wrong with it. */
export function parseCron(text: string): Cron | { problem: string } {
  const { valid, fields, errors } = validateDetailed(text);
  if (!valid || fields === undefined) return { problem: [...new Set(errors.map(({ message }) => message))].join('; ') };
  return {
    text,
    seconds: ascending(fields.second),
    minutes: ascending(fields.minute),
    hours: ascending(fields.hour),
    onDay: dayMatcher(text, fields),
  };
}

function ascending(numbers: number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/**
 * Days are matched by the library, which knows `L`, `15W` and `Mon#2`: asked about a time of that date that the expression has, in UTC,
 * where no clock is changed. A task that is destroyed at once has no timer, and no place in the library's list of tasks.
 */
function dayMatcher(text: string, { month: months, hour, minute, second }: ParsedFields): Cron['onDay'] {
  const task = createTask(text, () => {}, { timezone: 'UTC' });
  void task.destroy();
  return (year, month, day) =>
    months.includes(month) && task.match(new Date(Date.UTC(year, month - 1, day, hour[0], minute[0], second[0])));
}
