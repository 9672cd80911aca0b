/** A moment that a text states, and where in the text it says so. */
export interface Found {
  /** Epoch seconds; may lie in the past. */
  epoch: number;
  span: readonly [start: number, end: number];
}

export function spanOf(match: RegExpExecArray): readonly [number, number] {
  return [match.index, match.index + match[0].length];
}
