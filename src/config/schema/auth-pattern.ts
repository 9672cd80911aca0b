/** The predecessor's default for `monitor.auth_fail_patterns`, matched without regard to case. */
export const DEFAULT_AUTH_PATTERN =
  '\\b(oauth|unauthorized|401|api[_ ]key|auth(entication)?[_ -]?(failed|error|expired)|session.*expired)\\b';
