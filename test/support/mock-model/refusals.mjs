// How providers refuse: status, headers and body of each, in their own words. `limit` is the limit of an account that states its end.

/** Seconds until a stated limit ends. */
const LIMIT_S = Number(process.env.MOCK_LIMIT_S ?? '3600');

const anthropicError = (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_mock' });
const openaiError = (message, type, code = null) => ({ error: { message, type, param: null, code } });
const googleError = (code, status, message, details = []) => ({ error: { code, message, status, details } });

/** A per-minute limit says that the next second will do; an account's limit names the hour. */
const anthropicLimit = () => ({
  'retry-after': String(LIMIT_S),
  'anthropic-ratelimit-unified-status': 'rejected',
  'anthropic-ratelimit-unified-reset': String(epoch() + LIMIT_S),
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  'anthropic-ratelimit-unified-5h-status': 'rejected',
  'anthropic-ratelimit-unified-5h-reset': String(epoch() + LIMIT_S),
  'anthropic-ratelimit-unified-5h-utilization': '1.0',
});
const epoch = () => Math.floor(Date.now() / 1000);

const ANTHROPIC = {
  400: [
    400,
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  ],
  401: [401, 'authentication_error', 'invalid x-api-key'],
  429: [429, 'rate_limit_error', "This request would exceed your account's rate limit. Please try again later."],
  limit: [429, 'rate_limit_error', "This request would exceed your account's rate limit. Please try again later."],
  500: [500, 'api_error', 'Internal server error'],
  529: [529, 'overloaded_error', 'Overloaded'],
};
const OPENAI = {
  400: [400, 'You exceeded your current quota, please check your plan and billing details.', 'insufficient_quota', 'insufficient_quota'],
  401: [401, 'Incorrect API key provided: dummy.', 'invalid_request_error', 'invalid_api_key'],
  429: [
    429,
    'Rate limit reached for mock-model in organization org-mock on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 1s.',
    'requests',
    'rate_limit_exceeded',
  ],
  limit: [429, 'The usage limit has been reached', 'usage_limit_reached'],
  500: [500, 'The server had an error while processing your request.', 'server_error'],
  529: [529, 'Overloaded', 'server_error', 'overloaded'],
};
const GOOGLE = {
  400: [
    400,
    'FAILED_PRECONDITION',
    'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
  ],
  401: [401, 'UNAUTHENTICATED', 'API key not valid. Please pass a valid API key.'],
  429: [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details. Please retry in 1s.'],
  limit: [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'],
  500: [500, 'INTERNAL', 'An internal error has occurred.'],
  529: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
};

/** `{status, headers, body}` of a refusal that `dialect` words in its own way; undefined for a behaviour that is none. */
export function refusal(dialect, behaviour) {
  if (!(behaviour in ANTHROPIC)) return undefined;
  const limited = behaviour === '429' ? { 'retry-after': '1' } : {};
  if (dialect === 'anthropic') {
    const [status, type, message] = ANTHROPIC[behaviour];
    return { status, headers: behaviour === 'limit' ? anthropicLimit() : limited, body: anthropicError(type, message) };
  }
  if (dialect === 'gemini') {
    const [status, name, message] = GOOGLE[behaviour];
    return { status, headers: {}, body: googleError(status, name, message, googleDetails(behaviour)) };
  }
  const [status, message, type, code] = OPENAI[behaviour];
  const body = openaiError(message, type, code);
  if (behaviour === 'limit') Object.assign(body.error, { plan_type: 'plus', resets_at: epoch() + LIMIT_S, resets_in_seconds: LIMIT_S });
  return { status, headers: behaviour === 'limit' ? { 'retry-after': String(LIMIT_S) } : limited, body };
}

function googleDetails(behaviour) {
  const delay = { 429: '1s', limit: `${LIMIT_S}s` }[behaviour];
  if (delay === undefined) return [];
  const quotaId = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier';
  const violations = [{ quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests', quotaId, quotaValue: '10' }];
  return [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: delay },
  ];
}
