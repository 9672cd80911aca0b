import { type JsonRecord, objectOf } from './json-line.ts';

/**
 * What the head of a `result` record still says when the line was cut at its megabyte: that the turn ended, and whether well. The long
 * part is the text of the result, which comes after these fields.
 */
export function tornResult(line: string): JsonRecord | null {
  if (!line.startsWith('{"type":"result"')) return null;
  const head = line.slice(0, 1000);
  const isError = /"is_error":(true|false)/.exec(head)?.[1];
  if (isError === undefined) return null;
  return {
    type: 'result',
    subtype: /"subtype":"(\w+)"/.exec(head)?.[1],
    is_error: isError === 'true',
    api_error_status: Number(/"api_error_status":(\d{3})/.exec(head)?.[1] ?? Number.NaN),
  };
}

/** A record may begin at so many places near the end and no more: each is one attempt to parse. */
const ATTEMPTS = 100;

/**
 * The last record of this type in output that is one JSON document over one line or many: `{...}` or `[{...},{...}]`. Null when the
 * output does not end with one.
 */
export function lastRecord(tail: string, type: string): JsonRecord | null {
  const text = tail.trimEnd();
  if (!/[}][\s\]]*$/.test(text.slice(-20))) return null;
  const end = text.lastIndexOf('}') + 1;
  let from = text.length;
  for (let attempt = 0; attempt < ATTEMPTS && from > 0; attempt++) {
    from = text.lastIndexOf('{', from - 1);
    if (from < 0) return null;
    const record = parsed(text.slice(from, end));
    if (record?.type === type) return startsDocument(text, from) ? record : null;
  }
  return null;
}

/** At the beginning of a line, or an item of a list: not an example in the middle of a sentence. */
function startsDocument(text: string, at: number): boolean {
  return /(?:^|\n|[[,])\s*$/.test(text.slice(Math.max(0, at - 100), at));
}

function parsed(text: string): JsonRecord | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}
