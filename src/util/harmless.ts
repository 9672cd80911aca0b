/** Colours and weights as we set them ourselves; no sequence of these moves the cursor, hides a line or asks the terminal for anything. */
const CONTROL = /\p{Cc}\[(?:[0-2]|2[12]|3\d)m|[^\n\t\P{Cc}]|[\u202a-\u202e\u2066-\u2069]/gu;
const ESCAPE = '\u001b';

/**
 * Text that may go to a terminal: what was typed, what files are called and what agents and providers said comes back in it, and none of it
 * may steer the terminal or turn the direction of writing.
 */
export function harmless(text: string): string {
  return text.replace(CONTROL, (found) => (found.length > 1 && found.startsWith(ESCAPE) ? found : `\ufffd${found.slice(1)}`));
}
