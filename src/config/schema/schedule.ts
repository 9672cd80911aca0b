import * as z from 'zod';
import { parseCron } from '../../schedule/cron.ts';
import { parseWindow } from '../../schedule/window.ts';
import type { CustomIssue } from './kinds.ts';
import { none, timeZone, word } from './kinds.ts';

const windows = () =>
  z
    .array(
      word().transform((text, context) => {
        const window = parseWindow(text);
        if (!('problem' in window)) return window;
        const params: CustomIssue = { code: 'AR-CFG-050', remedy: window.remedy };
        context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 80))} ${window.problem}`, params });
        return z.NEVER;
      }),
    )
    .meta({ accepts: 'a list of windows such as "Mon-Fri 22:00-06:00"' });

const expression = () =>
  word().superRefine((text, context) => {
    const cron = parseCron(text);
    if (!('problem' in cron)) return;
    const params: CustomIssue = {
      code: 'AR-CFG-051',
      remedy: 'Write minute, hour, day of month, month and weekday, such as "0 22 * * Mon-Fri".',
    };
    context.addIssue({ code: 'custom', message: `${JSON.stringify(text.slice(0, 80))} is no cron expression: ${cron.problem}`, params });
  });

export const scheduleTable = z.strictObject({
  timezone: none(timeZone()).meta({ default: 'the host’s' }).describe('Time zone of the windows and of `cron`.'),
  run_windows: windows()
    .default([])
    .describe('Rounds start only within these: `"[WEEKDAYS ]HH:MM-HH:MM"`, the end excluded, over midnight too; none: always.'),
  pause_windows: windows().default([]).describe('No round starts within these, whatever `run_windows` says.'),
  cron: z
    .preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(expression()))
    .meta({ accepts: 'a cron expression, or a list of them' })
    .default([])
    .describe('Rounds start at these times instead of back to back; five fields, or six with seconds before them.'),
});
