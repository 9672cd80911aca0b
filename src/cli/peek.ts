import { locateProject } from '../config/locate.ts';
import { peek } from '../observe/peek/peek.ts';
import { selectPath } from '../observe/peek/select.ts';
import { peekText } from '../observe/peek/text.ts';
import { systemClock } from '../util/clock.ts';
import { print, printJson, styling } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

interface PeekOptions extends GlobalOptions {
  round: number | 'latest' | null;
  log: boolean;
  events: number;
  select: string | null;
  check: boolean;
}

/** Exit 0 whenever the question could be answered; `--check` answers by its exit code too. */
export async function runPeek(options: PeekOptions): Promise<number> {
  const { config, configGiven, select, check, json } = options;
  const now = systemClock.now();
  const view = peek(locateProject(config, configGiven), configGiven, options, now);
  if (select !== null) printSelected(selectPath(view, select), json);
  else if (json) printJson(view);
  else if (check) print(view.sentence);
  else print(peekText(view, now, styling(options.color)));
  return check && !view.healthy ? 1 : 0;
}

/** A plain text prints without quotes, for scripts; with `--json` everything is JSON. */
function printSelected(value: unknown, json: boolean): void {
  if (typeof value === 'string' && !json) print(value);
  else printJson(value);
}
