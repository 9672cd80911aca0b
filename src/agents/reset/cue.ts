/**
 * What must stand before a time for it to be the end of a limit: a log record is full of other times. At most forty characters without
 * a digit may come between ("resets at", "Your limit will reset at", "retryDelay": ").
 */
const WORDS =
  'resets?(?:_?(?:at|in|on|time|after))?|resetting|retry(?:ing)?|retry_?(?:after|delay)|try(?: it)? again|available(?: again)?|again|renew(?:s|ed|al)?|refresh(?:es|ed)?|restored?|until|unblocked|lifted|wait|expires?';

const CUE = String.raw`(?<![A-Za-z])(?:${WORDS})(?![a-z])[^\n\d]{0,40}?`;

/** A form of time behind a cue; `form` may not begin inside a word. Tried over text that is bounded by the caller. */
export function behindCue(form: string): RegExp {
  return new RegExp(`${CUE}(?<![\\w.])${form}`, 'gi');
}
