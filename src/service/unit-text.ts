import { RunnerError } from '../util/errors.ts';

/** A unit's name takes no more, bytes (UNIT_NAME_MAX). */
const LONGEST_NAME = 255;

/** Control characters, line and paragraph separators, half characters: a newline would be a directive of its own. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * The unit of a project: `agent-runner@shop.service`. Letters, digits, `:`, `_`, `.` and `-` stay as they are (so did the predecessor's
 * names); every other byte becomes `\xNN`, as systemd-escape writes it. Throws AR-SVC-010 when no unit can have the name.
 */
export function unitName(project: string): string {
  return `agent-runner@${instanceOf(project)}.service`;
}

export function instanceOf(project: string): string {
  refuseUnprintable('the name of the project', project);
  const escaped = [...Buffer.from(project, 'utf8')]
    .map((byte, i) => {
      const character = String.fromCharCode(byte);
      const plain = byte < 0x80 && /[A-Za-z0-9:_.-]/.test(character) && !(i === 0 && character === '.');
      return plain ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  if (escaped === '' || `agent-runner@${escaped}.service`.length > LONGEST_NAME)
    throw unfit('the name of the project', project, 'is too long for a unit');
  return escaped;
}

/** A value that systemd takes as it stands up to the end of the line (Description, WorkingDirectory): only `%` begins something there. */
export function plainValue(what: string, text: string): string {
  refuseUnprintable(what, text);
  if (text !== text.trim()) throw unfit(what, text, 'begins or ends with a space, which systemd takes away');
  if (text.endsWith('\\')) throw unfit(what, text, 'ends with a backslash, which joins the next line to it');
  return text.replaceAll('%', '%%');
}

/** One word of a list (Environment, RequiresMountsFor): quoted, so that it may hold spaces. */
export function quotedWord(what: string, text: string): string {
  refuseUnprintable(what, text);
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/** A command line: as above, and `$` would be a variable. The program itself is not looked at for those. */
export function commandLineOf(what: string, [program, ...args]: readonly [string, ...string[]]): string {
  return [quotedWord(what, program), ...args.map((word) => quotedWord(what, word).replaceAll('$', '$$$$'))].join(' ');
}

function refuseUnprintable(what: string, text: string): void {
  const found = UNPRINTABLE.exec(text)?.[0];
  if (found === undefined) return;
  const point = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw unfit(what, text, `contains the control character U+${point}`);
}

function unfit(what: string, text: string, why: string): RunnerError {
  return new RunnerError({
    code: 'AR-SVC-010',
    message: `${what} ${JSON.stringify(text)} ${why}`,
    remedy: 'rename it: it has to stand in a systemd unit',
    exit: 'config',
  });
}
