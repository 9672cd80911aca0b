import type { TurnError } from './adapter.ts';

type Meaning = readonly [kind: TurnError['kind'], classification: string];

/** A limit of the account (its end is usually stated), of the model or the minute, and so on; the throttle waits by this word. */
export const CLASSIFICATIONS = {
  rate_limit_account: 'the usage limit of the account',
  rate_limit_model: 'too many requests',
  api_transient_5xx: 'the provider is overloaded or broken',
  api_timeout: 'the provider did not answer in time',
  network: 'the connection to the provider failed or broke',
  billing: 'nothing is left to pay with',
  auth: 'the credentials were refused',
  turn_failed: 'the turn failed for a reason of its own',
} as const;

const BILLING: Meaning = ['provider_error', 'billing'];
const ACCOUNT: Meaning = ['rate_limited', 'rate_limit_account'];
const MODEL: Meaning = ['rate_limited', 'rate_limit_model'];
const AUTH: Meaning = ['auth_error', 'auth'];
const TIMEOUT: Meaning = ['provider_error', 'api_timeout'];
const BROKEN: Meaning = ['provider_error', 'api_transient_5xx'];
const NETWORK: Meaning = ['provider_error', 'network'];

/** Error words of providers and of the CLIs that hand them on; the first that is found decides. Without capital letters. */
export const PHRASES: readonly (readonly [pattern: string, meaning: Meaning])[] = [
  [
    String.raw`(?:your )?credit balance is too low|insufficient[_ ](?:quota|balance|credits?|funds)|payment required|(?:you )?exceeded your current quota, please check your plan|quota exceeded\. check your plan and billing|billing[_ ](?:hard[_ ]limit|error)|(?:you are )?out of credits|please enable billing|billing to be enabled`,
    BILLING,
  ],
  [
    String.raw`(?:claude )?(?:(?:ai|max|pro|team) )?usage limit (?:has been )?(?:reached|exceeded)|the usage limit has been reached|you(?:'ve|’ve| have) (?:hit|reached|exceeded) your (?!(?:[\w-]+ ){0,2}rate[ -]limit)(?:[\w-]+ ){0,3}limit|(?:5[- ]hour|session|weekly|daily|monthly|opus|sonnet|account|plan)(?: usage)? limit (?:has been )?(?:reached|exceeded)|limit reached\s?[·∙•|-]\s?resets|usage_limit_reached|you have (?:exhausted|reached) your (?:daily |weekly |monthly )?(?:quota|capacity)|(?:daily|weekly|monthly) quota (?:is )?(?:exceeded|exhausted)|quota exceeded for quota metric|your quota will reset`,
    ACCOUNT,
  ],
  [
    String.raw`unauthori[sz]ed|unauthenticated|(?:invalid|incorrect|missing|expired|no)(?: external)? (?:x-)?api[-_ ]?key|(?:x-)?api[-_ ]?key (?:is )?(?:not valid|not found|not set|invalid|expired|missing|required)|authentication[ _](?:failed|fails|error|required|expired)|not (?:logged|signed) in|please (?:run|use|log|sign)[^.\n]{0,40}log ?in|(?:run|use) \/login|invalid auth method|(?:oauth |access |refresh |auth )?token (?:has (?:been )?|is |was )?(?:expired|revoked|invalid)|(?:your )?session (?:has )?expired|login (?:is )?(?:required|expired)|invalid (?:bearer |auth(?:entication)? )token|invalid authentication|(?:provider\.)?auth(?:entication)?_error|could not be refreshed|permission[_ ]error`,
    AUTH,
  ],
  [
    'too many requests|(?:provider\\.)?rate[-_ ]?limit(?:ed|s)?(?:[-_ ](?:exceeded|reached|error|hit))?|resource[_ ]exhausted|throttlingexception',
    MODEL,
  ],
  [
    '(?:api |llm |model )?request timed? ?out|(?:api|connection|read) timed? ?out|etimedout|und_err_(?:connect|headers|body)_timeout|deadline[_ ]exceeded',
    TIMEOUT,
  ],
  [
    'overloaded|internal (?:server )?error|bad gateway|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|(?:currently )?experiencing high demand|at capacity|(?:the )?server had an error|server_error|api_error',
    BROKEN,
  ],
  [
    'econnrefused|econnreset|und_err_(?:socket|closed|destroyed)|(?:terminated: )?other side closed|enotfound|eai_again|enetunreach|ehostunreach|socket hang up|getaddrinfo|connection (?:error|refused|reset|closed|aborted|lost)|network (?:error|is unreachable|unreachable)|could not resolve|name or service not known|temporary failure in name resolution|fetch failed|stream (?:disconnected|closed|error)|premature close|(?:unable to|cannot|could not) connect|incomplete chunked read|peer closed connection',
    NETWORK,
  ],
];
const IN_WORDS = PHRASES.map(([pattern, meaning]) => [new RegExp(pattern, 'i'), meaning] as const);

/** Types and codes by which providers and CLIs name an error, in lower case. */
const CODES: Record<string, Meaning> = {
  insufficient_quota: BILLING,
  billing_error: BILLING,
  billing_hard_limit_reached: BILLING,
  usage_limit_reached: ACCOUNT,
  authentication_failed: AUTH,
  authentication_error: AUTH,
  invalid_api_key: AUTH,
  unauthenticated: AUTH,
  permission_denied: AUTH,
  permission_error: AUTH,
  providerautherror: AUTH,
  rate_limit: MODEL,
  rate_limit_error: MODEL,
  rate_limit_exceeded: MODEL,
  resource_exhausted: MODEL,
  overloaded: BROKEN,
  overloaded_error: BROKEN,
  server_error: BROKEN,
  api_error: BROKEN,
  internal: BROKEN,
  unavailable: BROKEN,
  timeout_error: TIMEOUT,
  deadline_exceeded: TIMEOUT,
};

/** An error as a record gives it. */
export interface Refusal {
  /** The HTTP status. Without one, the words are asked for it. */
  status?: number | null;
  /** The provider's or the CLI's own word for the error. */
  code?: string | null;
  words: string;
}

/** What an error of a provider means for the loop; null when nothing of it is known. */
export function refusalOf({ status, code, words }: Refusal): TurnError | null {
  const meaning = meaningOf(status ?? statusIn(words), code?.toLowerCase() ?? null, words.slice(0, LONGEST_RAW));
  return meaning && turnError(...meaning, words);
}

function meaningOf(status: number | null, code: string | null, words: string): Meaning | null {
  const byCode = code !== null && Object.hasOwn(CODES, code) ? (CODES[code] ?? null) : null;
  const byWords = wordsMean(words);
  // Money first: some providers refuse with 400, some with 429. Google's quota speaks of billing too, and is a quota.
  if (byCode === BILLING || status === 402) return BILLING;
  if (byWords === BILLING && byCode !== MODEL) return BILLING;
  if (byCode === ACCOUNT) return ACCOUNT;
  if (status === 429 || byCode === MODEL) return byWords === ACCOUNT ? ACCOUNT : MODEL;
  if (status === 401 || status === 403 || byCode === AUTH) return AUTH;
  if (status === 408) return TIMEOUT;
  if (status !== null && status >= 500 && status < 600) return byWords === TIMEOUT ? TIMEOUT : BROKEN;
  // 400 "API key not valid", 400 with the words of a limit; any other refused request is the turn's own fault.
  if (status !== null && status >= 400) return byWords === AUTH || byWords === ACCOUNT || byWords === MODEL ? byWords : null;
  if (byWords === TIMEOUT || byWords === NETWORK) return byWords;
  return byCode ?? byWords;
}

function wordsMean(words: string): Meaning | null {
  // What undici calls a stream that was cut, and nothing else.
  if (/^\W{0,3}terminated\W{0,3}$/i.test(words)) return NETWORK;
  return IN_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}

const STATUS_FORMS = [
  /^(?:api )?(?:error:? )?\(?([45]\d\d)\b/i,
  /\b(?:last status|unexpected status|status code|status|http|error code|code)["']?\W{0,3}([45]\d\d)\b/i,
  /\(([45]\d\d)\)/,
  /^(?:API Error: )?Repeated ([45]\d\d)\b/,
];

/** The HTTP status that error words name: `401 {...}`, `unexpected status 401`, `Request rejected (429)`. */
export function statusIn(words: string): number | null {
  for (const form of STATUS_FORMS) {
    const found = form.exec(words.slice(0, 400))?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}

/** More of a message is of no use to anybody, and a line may have a megabyte. */
const LONGEST_RAW = 4000;

export function turnError(kind: TurnError['kind'], classification: string, raw: string): TurnError {
  return { kind, classification, resetAtEpoch: null, raw: raw.slice(0, LONGEST_RAW) };
}

/** The turn failed and no provider is known to be the reason. */
export function turnFailed(raw: string, classification = 'turn_failed'): TurnError {
  return turnError('agent_error', classification, raw);
}
