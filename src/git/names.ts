/**
 * Paths as git gives them are bytes, not text: a name need not be UTF-8. Inside this room a path is a "byte string", one character
 * per byte (latin1), which compares, joins and goes back to the kernel without loss.
 */
export type Bytes = string;

export function bytesOf(text: string): Bytes {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function toBuffer(bytes: Bytes): Buffer {
  return Buffer.from(bytes, 'latin1');
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The path as a person and an event see it: its UTF-8 text; bytes of a name that is not UTF-8 appear as `\xNN`. */
export function shown(bytes: Bytes): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  try {
    return strictUtf8.decode(toBuffer(bytes));
  } catch {
    return bytes.replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  }
}

/** True for `folder` itself and everything below it. */
export function isWithin(path: Bytes, folder: Bytes): boolean {
  return path === folder || path === `${folder}/` || path.startsWith(`${folder}/`);
}
