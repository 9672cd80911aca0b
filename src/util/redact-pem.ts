const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';
/** `RSA PRIVATE KEY`, `OPENSSH PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`: certificates and public keys are no secrets. */
const PRIVATE = /^[A-Z0-9 ]{0,40}PRIVATE KEY/;
/** What the body of a key is made of; backslash for the `\n` of a JSON string, colon and comma for its headers. */
const BODY = /[A-Za-z0-9+/=\s\\:,-]/;
/** Longer than any key: how far back a body without its beginning is followed. */
const LONGEST_BODY = 65_536;

/**
 * Replaces private keys in PEM form, with their markers. A key whose end is missing (the text was cut there) goes to the end of the
 * text, one whose beginning is missing goes back as far as it looks like a key. By hand, because a regular expression that looks for
 * the end of each of many beginnings takes quadratic time.
 */
export function redactPemKeys(text: string, replacement: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const parts: string[] = [];
  let from = 0;
  let begin = nextMarker(text, BEGIN, 0);
  let end = nextMarker(text, END, 0);
  while (begin < Infinity || end < Infinity) {
    const start = begin < end ? begin : bodyStart(text, from, end);
    parts.push(text.slice(from, start), replacement);
    from = end === Infinity ? text.length : afterMarker(text, end);
    // Searched again only when passed: a marker that is not there must not be looked for once for each of the other kind.
    if (begin < from) begin = nextMarker(text, BEGIN, from);
    if (end < from) end = nextMarker(text, END, from);
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** Infinity when there is none. */
function nextMarker(text: string, marker: string, from: number): number {
  for (let at = text.indexOf(marker, from); at >= 0; at = text.indexOf(marker, at + 1)) {
    if (PRIVATE.test(text.slice(at + marker.length, at + marker.length + 60))) return at;
  }
  return Infinity;
}

function afterMarker(text: string, end: number): number {
  const dashes = text.indexOf(DASHES, end + END.length);
  return dashes < 0 || dashes > end + 80 ? text.length : dashes + DASHES.length;
}

function bodyStart(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && end - at < LONGEST_BODY && BODY.test(text.charAt(at - 1))) at--;
  return at;
}
