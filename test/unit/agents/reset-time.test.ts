import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseResetTime } from '../../../src/agents/reset-time.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;
const parsed = (text: string, now: string, zone: string) => {
  const found = parseResetTime(text, seconds(now), zone);
  return found && new Date(found.epoch * 1000).toISOString().replace('.000', '');
};

/** Words of real CLIs and providers: [text, now, the agent's zone, the end]. */
type Row = [text: string, now: string, zone: string, end: string | null];

const ZURICH = 'Europe/Zurich';
const NEW_YORK = 'America/New_York';

const CLAUDE: Row[] = [
  ['Claude AI usage limit reached|1766502000', '2025-12-23T10:00:00Z', ZURICH, '2025-12-23T15:00:00Z'],
  ['Claude AI usage limit reached|1766502000', '2025-12-23T10:00:00Z', 'Asia/Tokyo', '2025-12-23T15:00:00Z'],
  ['Claude AI usage limit reached|1766502000', '2025-12-23T15:00:40Z', ZURICH, '2025-12-23T15:00:40Z'],
  ['Claude Max usage limit reached. Your limit will reset at 12am.', '2025-05-30T20:00:00Z', NEW_YORK, '2025-05-31T04:00:00Z'],
  ['Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).', '2025-06-14T17:56:06Z', 'UTC', '2025-06-14T18:00:00Z'],
  [
    'Claude usage limit reached. Your limit will reset at 5pm (America/Chicago).',
    '2025-08-04T06:07:15Z',
    'Asia/Taipei',
    '2025-08-04T22:00:00Z',
  ],
  ['5-hour limit reached ∙ resets 1am', '2025-08-20T20:30:00Z', ZURICH, '2025-08-20T23:00:00Z'],
  ['5-hour limit reached ∙ resets 3pm', '2025-08-20T09:00:00Z', ZURICH, '2025-08-20T13:00:00Z'],
  [
    'Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max or turn on /extra-usage',
    '2025-12-01T04:32:07Z',
    'UTC',
    '2025-12-02T01:00:00Z',
  ],
  ['Limit reached · resets 5pm (Etc/Unknown) · /upgrade to Max', '2025-12-18T12:00:00Z', 'UTC', '2025-12-18T17:00:00Z'],
  ["You've hit your limit · resets 8pm (Asia/Tokyo)", '2026-04-15T00:43:47Z', 'Asia/Tokyo', '2026-04-15T11:00:00Z'],
  ["You've hit your limit · resets 8pm (Asia/Tokyo)", '2026-04-15T00:43:47Z', NEW_YORK, '2026-04-15T11:00:00Z'],
  ["You've hit your session limit · resets 10:10pm (Europe/Madrid)", '2026-05-22T17:00:00Z', 'UTC', '2026-05-22T20:10:00Z'],
  ["You've hit your session limit - resets 11:20am (Europe/Zurich)", '2026-08-03T04:56:00Z', 'UTC', '2026-08-03T09:20:00Z'],
  ["You've hit your session limit · resets 3pm (America/Bogota)", '2026-08-10T17:00:00Z', 'UTC', '2026-08-10T20:00:00Z'],
  ["You've hit your weekly limit · resets Aug 3, 7am (Europe/Zurich)", '2026-08-03T04:56:00Z', 'UTC', '2026-08-03T05:00:00Z'],
  ["You've hit your weekly limit · resets 7am (Europe/Zurich)", '2026-08-03T04:56:00Z', 'UTC', '2026-08-03T05:00:00Z'],
  ["You've hit your weekly limit · resets 4am (Europe/Madrid)", '2026-09-10T03:00:00Z', 'UTC', '2026-09-11T02:00:00Z'],
  ["You've hit your weekly limit · resets Oct 6, 1pm", '2026-10-01T12:00:00Z', ZURICH, '2026-10-06T11:00:00Z'],
  ["You've hit your Opus limit · resets Jan 2, 9am (Europe/Zurich)", '2026-12-30T12:00:00Z', 'UTC', '2027-01-02T08:00:00Z'],
  ["You've hit your limit · resets Mon 9am", '2026-11-27T12:00:00Z', ZURICH, '2026-11-30T08:00:00Z'],
  ['Current week (all models): Resets Fri 4:00 PM', '2026-06-17T12:00:00Z', NEW_YORK, '2026-06-19T20:00:00Z'],
  ['Weekly limit (All models) 100% used, resets Tuesday at 12:00', '2026-04-24T10:00:00Z', ZURICH, '2026-04-28T10:00:00Z'],
  ['{"status":"rejected","resetsAt":1795973553,"rateLimitType":"five_hour"}', '2026-11-29T16:32:33Z', ZURICH, '2026-11-29T17:32:33Z'],
];

const OPENAI: Row[] = [
  [
    "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11 minutes.",
    '2025-09-19T10:00:00Z',
    ZURICH,
    '2025-09-25T08:11:00Z',
  ],
  [
    "You've hit your usage limit. Upgrade to Pro or try again in 2 days 17 hours 14 minutes.",
    '2025-09-03T00:00:00Z',
    'UTC',
    '2025-09-05T17:14:00Z',
  ],
  ["You've hit your usage limit. Try again at 3:42 PM.", '2026-02-10T19:00:00Z', NEW_YORK, '2026-02-10T20:42:00Z'],
  ["You've hit your usage limit. Try again at 3:42\u202fPM.", '2026-02-10T19:00:00Z', NEW_YORK, '2026-02-10T20:42:00Z'],
  [
    "You've hit your usage limit. To continue, or try again at Jan 3rd, 2027 9:45 AM.",
    '2026-12-30T12:00:00Z',
    ZURICH,
    '2027-01-03T08:45:00Z',
  ],
  ["You've hit your usage limit. Try again at Oct 21st, 2026 4:37 PM.", '2026-10-18T12:00:00Z', 'Asia/Tokyo', '2026-10-21T07:37:00Z'],
  ['Rate limit reached for gpt-mock. Please try again in 2s.', '2026-11-29T16:32:33Z', 'UTC', '2026-11-29T16:32:35Z'],
  [
    'Rate limit reached for gpt-5 on tokens per min (TPM). Please try again in 545ms.',
    '2026-11-29T16:32:33Z',
    'UTC',
    '2026-11-29T16:32:34Z',
  ],
  ['Rate limit reached. Please try again in 1m12.3s. Visit the page to learn more.', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:01:13Z'],
  ['Limit 10000, Used 10000. Please try again in 6m0s.', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:06:00Z'],
  ['Please try again in 7h12m.', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T23:12:00Z'],
  [
    '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"free","resets_at":1775317531,"resets_in_seconds":602705}}',
    '2026-03-28T15:20:26Z',
    ZURICH,
    '2026-04-04T15:45:31Z',
  ],
  ['{"type":"usage_limit_reached","resets_in_seconds":602705}', '2026-03-28T00:00:00Z', ZURICH, '2026-04-03T23:25:05Z'],
  ['Codex usage limit reached. The weekly limit resets in 5d 5h.', '2026-09-07T00:00:00Z', 'UTC', '2026-09-12T05:00:00Z'],
  [
    'The session limit resets in 3h 20m. Send the message again once the limit resets.',
    '2026-09-07T00:00:00Z',
    'UTC',
    '2026-09-07T03:20:00Z',
  ],
];

const GOOGLE: Row[] = [
  [
    'Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3.',
    '2026-03-13T20:00:00Z',
    'UTC',
    '2026-03-14T01:57:00Z',
  ],
  ['Usage limit reached for gemini-3-pro. Access resets at 10:57\u202fPM UTC+5:30.', '2026-03-13T12:00:00Z', 'UTC', '2026-03-13T17:27:00Z'],
  [
    'You have exhausted your capacity on this model. Your quota will reset after 21h34m11s.',
    '2026-02-01T10:05:04Z',
    ZURICH,
    '2026-02-02T07:39:15Z',
  ],
  [
    'Quota exceeded for quota metric X of service Y. Expected quota reset within 24h.',
    '2025-10-31T10:00:00Z',
    'UTC',
    '2025-11-01T10:00:00Z',
  ],
  ['You exceeded your current quota. Please retry in 24.142365999s.', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:00:25Z'],
  ['429 RESOURCE_EXHAUSTED. Please retry in 24337.5s.', '2026-11-29T00:00:00Z', 'UTC', '2026-11-29T06:45:38Z'],
  ['"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"32s"', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:00:32Z'],
  ['Daily quota exceeded; it resets at midnight Pacific time.', '2026-07-02T12:00:00Z', ZURICH, '2026-07-03T07:00:00Z'],
  ['Daily quota exceeded; it resets at midnight PT.', '2026-12-02T12:00:00Z', ZURICH, '2026-12-03T08:00:00Z'],
];

const HEADERS: Row[] = [
  ['HTTP 429 Retry-After: 120', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:02:00Z'],
  ['retry-after: 3600', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T17:00:00Z'],
  ['"retry_after": 30', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:00:30Z'],
  ['retry-after-ms: 1500', '2026-11-29T16:00:00Z', 'UTC', '2026-11-29T16:00:02Z'],
  ['Retry-After: Wed, 02 Dec 2026 07:28:00 GMT', '2026-11-29T16:00:00Z', ZURICH, '2026-12-02T07:28:00Z'],
  ['anthropic-ratelimit-unified-reset: 1795973553', '2026-11-29T16:32:33Z', ZURICH, '2026-11-29T17:32:33Z'],
  ['x-ratelimit-reset: 1795973553000', '2026-11-29T16:32:33Z', ZURICH, '2026-11-29T17:32:33Z'],
  ['x-ratelimit-reset-requests: 1s', '2026-11-29T16:32:33Z', ZURICH, '2026-11-29T16:32:34Z'],
  ['anthropic-ratelimit-tokens-reset: 2026-11-29T16:33:20Z', '2026-11-29T16:32:33Z', ZURICH, '2026-11-29T16:33:20Z'],
  ['"reset_time": "2026-11-29T18:00:00+01:00"', '2026-11-29T16:32:33Z', 'UTC', '2026-11-29T17:00:00Z'],
];

const FORMS: Row[] = [
  ['limit resets at 2026-12-01 12:00:00 UTC', '2026-11-29T16:00:00Z', ZURICH, '2026-12-01T12:00:00Z'],
  ['limit resets at 2026-12-01 12:00', '2026-11-29T16:00:00Z', ZURICH, '2026-12-01T11:00:00Z'],
  ['limit resets on 2026-12-01', '2026-11-29T16:00:00Z', ZURICH, '2026-11-30T23:00:00Z'],
  ['available again at 12/1/2026, 3:00:00 PM', '2026-11-29T16:00:00Z', NEW_YORK, '2026-12-01T20:00:00Z'],
  ['available again at 01/12/2026, 15:00:00', '2026-11-29T16:00:00Z', ZURICH, '2026-12-01T14:00:00Z'],
  ['available again at 1.12.2026, 15:00', '2026-11-29T16:00:00Z', ZURICH, '2026-12-01T14:00:00Z'],
  ['try again on 1 December 2026 at 15:00 CET', '2026-11-29T16:00:00Z', 'UTC', '2026-12-01T14:00:00Z'],
  ['try again tomorrow at 9am', '2026-11-29T16:00:00Z', ZURICH, '2026-11-30T08:00:00Z'],
  ['try again at 9am tomorrow', '2026-11-29T05:00:00Z', ZURICH, '2026-11-30T08:00:00Z'],
  ['limit resets today at 17:30', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T16:30:00Z'],
  ['limit resets at noon', '2026-11-29T16:00:00Z', ZURICH, '2026-11-30T11:00:00Z'],
  ['limit resets 3 p.m. EST', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T20:00:00Z'],
  ['limit resets 3pm PDT', '2026-07-01T16:00:00Z', ZURICH, '2026-07-01T22:00:00Z'],
  ['limit resets at 15:00 -08:00', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T23:00:00Z'],
  ['limit resets at 00:00 UTC', '2026-11-29T16:00:00Z', ZURICH, '2026-11-30T00:00:00Z'],
  ['blocked until 24:00', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T23:00:00Z'],
  ['blocked until Thursday', '2026-11-29T16:00:00Z', ZURICH, '2026-12-02T23:00:00Z'],
  ['try again in an hour', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T17:00:00Z'],
  ['try again in half an hour', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T16:30:00Z'],
  ['try again in 3 hours 12 minutes', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T19:12:00Z'],
  ['try again in 1 hour, 5 minutes and 10 seconds', '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T17:05:10Z'],
  ['retry after 2 weeks', '2026-11-29T16:00:00Z', ZURICH, '2026-12-13T16:00:00Z'],
];

const EDGES: Row[] = [
  // Midnight: just before it, just after it, and a limit that ended in yesterday's last minute.
  ['resets 12am', '2026-11-29T22:59:59Z', ZURICH, '2026-11-29T23:00:00Z'],
  ['resets 12:30am', '2026-11-29T22:50:00Z', ZURICH, '2026-11-29T23:30:00Z'],
  ['resets 11:59pm', '2026-11-29T23:05:00Z', ZURICH, '2026-11-29T23:05:00Z'],
  ['resets 12pm', '2026-11-29T22:50:00Z', ZURICH, '2026-11-30T11:00:00Z'],
  // Just passed: not tomorrow. Long passed: tomorrow, but for a session limit, which cannot be so far away.
  ['resets 3pm', '2026-11-29T14:00:20Z', ZURICH, '2026-11-29T14:00:20Z'],
  ['resets 3pm', '2026-11-29T14:14:59Z', ZURICH, '2026-11-29T14:14:59Z'],
  ['resets 3pm', '2026-11-29T14:15:01Z', ZURICH, '2026-11-30T14:00:00Z'],
  ["You've hit your session limit · resets 3pm", '2026-11-29T16:00:00Z', ZURICH, '2026-11-29T16:00:00Z'],
  ['5-hour limit reached ∙ resets 3pm', '2026-11-29T14:40:00Z', ZURICH, '2026-11-29T14:40:00Z'],
  ["You've hit your session limit · resets 3am", '2026-11-29T19:00:00Z', ZURICH, '2026-11-30T02:00:00Z'],
  ['resets Mon 9am', '2026-11-30T08:05:00Z', ZURICH, '2026-11-30T08:05:00Z'],
  ['resets Mon 9am', '2026-11-30T12:00:00Z', ZURICH, '2026-12-07T08:00:00Z'],
  ['resets Aug 3, 7am (Europe/Zurich)', '2026-08-04T04:56:00Z', 'UTC', '2026-08-04T04:56:00Z'],
  // The year's end, from both sides; 29 February.
  ['resets Jan 1, 12:30am', '2026-12-31T23:00:00Z', ZURICH, '2026-12-31T23:30:00Z'],
  ['resets Dec 31, 11pm', '2027-01-01T10:00:00Z', ZURICH, '2027-01-01T10:00:00Z'],
  ['resets Feb 29, 8am', '2028-02-27T10:00:00Z', ZURICH, '2028-02-29T07:00:00Z'],
  // Europe/Zurich leaves out 02:00-03:00 on 2026-03-29 and repeats 02:00-03:00 on 2026-10-25.
  ['resets 2:30am', '2026-03-28T22:00:00Z', ZURICH, '2026-03-29T01:30:00Z'],
  ['resets 3am', '2026-03-28T22:00:00Z', ZURICH, '2026-03-29T01:00:00Z'],
  ['resets 9am', '2026-03-28T22:00:00Z', ZURICH, '2026-03-29T07:00:00Z'],
  ['resets 2:30am', '2026-10-24T22:00:00Z', ZURICH, '2026-10-25T00:30:00Z'],
  ['resets 2:30am', '2026-10-25T00:50:00Z', ZURICH, '2026-10-25T01:30:00Z'],
  ['resets 9am', '2026-10-24T22:00:00Z', ZURICH, '2026-10-25T08:00:00Z'],
  ['resets Oct 25, 2:30am (Europe/Zurich)', '2026-10-20T22:00:00Z', 'UTC', '2026-10-25T00:30:00Z'],
  // Half-hour zones, zones a day ahead, a half-hour change of time (Lord Howe).
  ['resets 3pm (Asia/Kolkata)', '2026-11-29T08:00:00Z', 'UTC', '2026-11-29T09:30:00Z'],
  ['resets 3pm (Pacific/Kiritimati)', '2026-11-29T16:00:00Z', 'UTC', '2026-11-30T01:00:00Z'],
  ['resets 9am (Australia/Lord_Howe)', '2026-10-03T10:00:00Z', 'UTC', '2026-10-03T22:00:00Z'],
  ['resets 3pm', '2026-11-29T10:00:00Z', 'no such zone', '2026-11-29T15:00:00Z'],
];

const NONE: Row[] = [
  ['usage limit reached', '2026-11-29T16:00:00Z', ZURICH, null],
  ['Please try again later.', '2026-11-29T16:00:00Z', ZURICH, null],
  ['Try again in a few minutes.', '2026-11-29T16:00:00Z', ZURICH, null],
  ['resets at 3', '2026-11-29T16:00:00Z', ZURICH, null],
  ['resets 13pm', '2026-11-29T16:00:00Z', ZURICH, null],
  ['resets at 25:00', '2026-11-29T16:00:00Z', ZURICH, null],
  ['resets Feb 30, 9am', '2026-11-29T16:00:00Z', ZURICH, null],
  ['"timestamp":"2026-12-29T16:25:30.024Z","error":"rate_limit"', '2026-11-29T16:00:00Z', ZURICH, null],
  ['{"duration_ms":1795973553}', '2026-11-29T16:00:00Z', ZURICH, null],
  ['presets 3pm, the limit', '2026-11-29T16:00:00Z', ZURICH, null],
  ['try again in 4000 days', '2026-11-29T16:00:00Z', ZURICH, null],
  ['', '2026-11-29T16:00:00Z', ZURICH, null],
];

describe.each([
  ['claude', CLAUDE],
  ['openai', OPENAI],
  ['google', GOOGLE],
  ['headers', HEADERS],
  ['other forms', FORMS],
  ['field bug 38: edges of days, years and zones', EDGES],
  ['nothing stated', NONE],
])('the end of a limit, in words of %s', (_name, rows) => {
  it.each(rows)('%s @ %s in %s', (text, now, zone, end) => expect(parsed(text, now, zone)).toBe(end));
});

const anyRow = fc.constantFrom(...[CLAUDE, OPENAI, GOOGLE, HEADERS, FORMS, EDGES, NONE].flat().map(([text]) => text));
const anyNow = fc.integer({ min: seconds('2025-01-01'), max: seconds('2029-01-01') });
const anyZone = fc.constantFrom('UTC', ZURICH, NEW_YORK, 'Asia/Tokyo', 'Asia/Kolkata', 'Pacific/Kiritimati', 'America/Sao_Paulo', 'x');
const dated = /\d{4}|\d{9}|jan|feb|mar|apr|aug|oct|dec|days|weeks|seconds/i;

describe('whatever the clock shows', () => {
  it('the end is a whole second, never in the past, and without a stated date or distance at most eight days away', () => {
    fc.assert(
      fc.property(anyRow, anyNow, anyZone, (text, now, zone) => {
        const found = parseResetTime(text, now, zone);
        if (found === null) return;
        expect(Number.isInteger(found.epoch)).toBe(true);
        expect(found.epoch).toBeGreaterThanOrEqual(now);
        if (!dated.test(text)) expect(found.epoch - now).toBeLessThanOrEqual(8 * 86_400);
        const [start, end] = found.span;
        expect(start >= 0 && start < end && end <= text.length).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('a text that names its zone, an epoch or a distance means the same moment in every zone', () => {
    const zoned = [...CLAUDE, ...GOOGLE, ...OPENAI, ...HEADERS]
      .map(([text]) => text)
      .filter((text) =>
        /\|\d{10}|\(\w+\/(?!Unknown)\w|GMT|UTC[+-]|\bin \d|reset(?:s|_at|sAt|_in_seconds)?"?:|Z"?$|\bPT\b|Pacific/.test(text),
      );
    expect(zoned.length).toBeGreaterThan(25);
    fc.assert(
      fc.property(fc.constantFrom(...zoned), anyNow, anyZone, anyZone, (text, now, one, other) => {
        expect(parseResetTime(text, now, one)).toEqual(parseResetTime(text, now, other));
      }),
      { numRuns: 1000 },
    );
  });

  it('read again on the way there, it stays the same moment; and words around it change nothing', () => {
    fc.assert(
      fc.property(anyRow, anyNow, anyZone, fc.double({ min: 0, max: 1, noNaN: true }), (text, now, zone, part) => {
        const found = parseResetTime(text, now, zone);
        // A distance counts from when it is read, and "today" and "tomorrow" from the day.
        if (found === null || /\bin |after|delay|within|seconds|requests|today|tomorrow/i.test(text)) return;
        const later = Math.floor(now + (found.epoch - now) * part);
        expect(parseResetTime(text, later, zone)?.epoch).toBe(Math.max(found.epoch, later));
        expect(parseResetTime(`API Error (429): ${text} (request id: req_7)`, now, zone)?.epoch).toBe(found.epoch);
      }),
      { numRuns: 1000 },
    );
  });

  it('never throws and stays quick, whatever the text is', () => {
    fc.assert(fc.property(fc.string(), anyNow, fc.string(), (text, now, zone) => void parseResetTime(`resets at ${text}`, now, zone)));
    for (const piece of ['reset ', 'resets at 1', 'try again in 1 d ', '1h', 'limit |', 'resets Jan ', '\u00a0', 'resets 1/1/']) {
      parseResetTime(piece.repeat(200_000), 1_795_973_553, ZURICH);
    }
  });
});
