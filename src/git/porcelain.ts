import type { Bytes } from './names.ts';

/** One record of `git status --porcelain=v2`, paths relative to the top of the work tree. */
export interface StatusEntry {
  kind: 'changed' | 'renamed' | 'unmerged' | 'untracked';
  /** Index and work tree letter, `.` for unchanged; `??` for untracked. */
  xy: string;
  /** True for a submodule (a commit in the index instead of a file). */
  gitlink: boolean;
  /** The new path of a rename. An untracked path that ends in `/` is a repository of its own. */
  path: Bytes;
  from: Bytes | null;
  /** The record without its paths: modes and object names, for fingerprints. */
  detail: string;
}

export interface Status {
  /** Null before the first commit. */
  head: string | null;
  entries: StatusEntry[];
}

/**
 * Reads the output of `git status --porcelain=v2 --branch -z`, one character per byte. An unfinished last record (cut output) and
 * record types of a newer git are left out.
 */
export function parseStatus(output: string): Status {
  const status: Status = { head: null, entries: [] };
  const records = output.split('\0');
  records.pop(); // Behind the last NUL: nothing, or a record that was cut.
  for (let i = 0; i < records.length; i += 1) {
    const record = records[i] ?? '';
    switch (record[0]) {
      case '#':
        status.head = headOf(record) ?? status.head;
        break;
      case '1':
        status.entries.push(entry('changed', record, 8));
        break;
      case '2': {
        const from = records[i + 1];
        i += 1;
        if (from !== undefined) status.entries.push({ ...entry('renamed', record, 9), from });
        break;
      }
      case 'u':
        status.entries.push(entry('unmerged', record, 10));
        break;
      case '?':
        status.entries.push({ kind: 'untracked', xy: '??', gitlink: false, path: record.slice(2), from: null, detail: '?' });
        break;
    }
  }
  return status;
}

function headOf(header: string): string | null {
  return /^# branch\.oid ([0-9a-f]{40,64})$/.exec(header)?.[1] ?? null;
}

/** A record is `fields` words with a space behind each, then the path, which may itself hold spaces. */
function entry(kind: StatusEntry['kind'], record: string, fields: number): StatusEntry {
  let end = -1;
  for (let i = 0; i < fields; i += 1) end = record.indexOf(' ', end + 1);
  const detail = record.slice(0, end);
  const [, xy = '..', submodule = 'N...'] = detail.split(' ', 3);
  return { kind, xy, gitlink: submodule[0] === 'S', path: record.slice(end + 1), from: null, detail };
}
