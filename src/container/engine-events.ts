export interface ContainerEvent {
  action: 'create' | 'start' | 'kill' | 'stop' | 'oom' | 'die' | 'remove' | 'other';
  id: string;
  /** Epoch milliseconds by the engine's clock. */
  at: number;
  /** Of `kill`, where the engine tells (docker). */
  signal: number | null;
  /** Whose form the line has. docker records each out-of-memory kill, podman none. */
  source: 'docker' | 'podman';
  /** Of `die`. */
  exitCode: number | null;
}

const ACTIONS: Readonly<Record<string, ContainerEvent['action']>> = {
  create: 'create',
  start: 'start',
  kill: 'kill',
  stop: 'stop',
  oom: 'oom',
  die: 'die',
  died: 'die',
  destroy: 'remove',
  remove: 'remove',
};

/** One JSON object a line, as `events --format {{json .}}` of docker (`Action`, `Actor`) and podman (`Status`, `ContainerExitCode`) print it. */
export function parseEvents(text: string): ContainerEvent[] {
  return text
    .split('\n')
    .flatMap((line) => parseEvent(line) ?? [])
    .sort((a, b) => a.at - b.at);
}

function parseEvent(line: string): ContainerEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const event = record(value);
  if (event.Type !== 'container') return null;
  const actor = record(event.Actor);
  const attributes = { ...record(event.Attributes), ...record(actor.Attributes) };
  const word = String(event.Action ?? event.Status ?? '');
  return {
    action: (Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined) ?? 'other',
    id: String(event.ID ?? actor.ID ?? event.id ?? ''),
    at: timeOf(event),
    source: 'Action' in event ? 'docker' : 'podman',
    signal: signalNumber(attributes.signal),
    exitCode: whole(attributes.exitCode ?? event.ContainerExitCode),
  };
}

function timeOf(event: Record<string, unknown>): number {
  if (typeof event.timeNano === 'number') return event.timeNano / 1e6;
  const parsed = Date.parse(String(event.Time ?? ''));
  return Number.isNaN(parsed) ? 0 : parsed;
}

function signalNumber(value: unknown): number | null {
  if (typeof value === 'string' && /^(SIG)?KILL$/.test(value)) return 9;
  return whole(value);
}

function whole(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
