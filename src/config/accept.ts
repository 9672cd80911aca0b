/**
 * Which text of the configuration is in force. The file lies where an agent can write, so it is never simply read again: what changed
 * while a round ran may be the agent's doing and waits for a person; what changed between rounds waits for `reload` or a restart.
 */
export interface AcceptedRecord {
  accepted_digest: string;
  /** Changed while no round ran: a person's edit that was not asked to be adopted yet. */
  pending_digest: string | null;
  /** Changed while a round ran, or on top of such a change. */
  suspect_digest: string | null;
}

/** The digest of a file that is not there or cannot be read. */
export const ABSENT = 'absent';

export interface Verdict {
  /** `file`: adopt what the file says now. `accepted`: go on with what was accepted. */
  use: 'file' | 'accepted';
  record: AcceptedRecord;
  /** The change is new: to be told once. */
  changed: 'during_round' | 'between_rounds' | null;
}

export interface Seen {
  /** Of the file now, or ABSENT. */
  digest: string;
  /** The digest that a person has accepted by `ack config`. */
  acknowledged: string | null;
}

/**
 * At the start of `serve` or `round`. `interrupted`: the digest that the round of a dead supervisor had begun with, null when no round
 * was interrupted. An edit while nothing ran is adopted without ceremony, one that may be the agent's is not, restart or no restart.
 */
export function configAtStart(record: AcceptedRecord | null, { digest, acknowledged }: Seen, interrupted: string | null): Verdict {
  if (record === null) return adopted(digest);
  const trusted = digest === record.accepted_digest || digest === record.pending_digest || digest === interrupted;
  const suspicious = interrupted !== null || record.suspect_digest !== null;
  if (trusted || !suspicious || digest === acknowledged) return adopted(digest);
  return suspected(record, digest);
}

/** Between two rounds. `reload`: a person asked for it (`reload`, SIGHUP); that does not speak for a change during a round. */
export function configBetweenRounds(record: AcceptedRecord, { digest, acknowledged }: Seen, reload: boolean): Verdict {
  if (digest === record.accepted_digest) return adopted(digest, 'accepted');
  const suspicious = record.suspect_digest !== null && digest !== record.pending_digest;
  if (digest === acknowledged || (reload && !suspicious)) return adopted(digest);
  if (suspicious) return suspected(record, digest);
  const changed = digest === record.pending_digest ? null : 'between_rounds';
  return { use: 'accepted', record: { ...record, pending_digest: digest, suspect_digest: null }, changed };
}

/** After a round: `before` is the digest that the file had when it started. */
export function configAfterRound(record: AcceptedRecord, digest: string, before: string): Verdict {
  if (digest === record.accepted_digest) return adopted(digest, 'accepted');
  if (digest === record.pending_digest) return { use: 'accepted', record: { ...record, suspect_digest: null }, changed: null };
  return digest === before ? { use: 'accepted', record, changed: null } : suspected(record, digest);
}

function adopted(digest: string, use: Verdict['use'] = 'file'): Verdict {
  return { use, record: { accepted_digest: digest, pending_digest: null, suspect_digest: null }, changed: null };
}

function suspected(record: AcceptedRecord, digest: string): Verdict {
  const changed = digest === record.suspect_digest ? null : 'during_round';
  return { use: 'accepted', record: { ...record, suspect_digest: digest }, changed };
}
