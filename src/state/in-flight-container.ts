/**
 * How the container of a round in flight is reached again, although the configuration may have changed meanwhile: the same client, asked
 * in the same place with the same way to its engine.
 */
export interface InFlightContainer {
  /** docker, podman or nerdctl. */
  runtime: string;
  /** The client with everything before `run`. */
  control: string[];
  cwd: string;
  /** Of the client's environment only what leads to the engine: never the agent's secrets. */
  env: Record<string, string>;
  cidfile: string | null;
  /** The operator's own `--cidfile`: it stays, and its id is believed only with our label. */
  cidfile_is_operators: boolean;
  /** The round's private folder, removed with the record. */
  folder: string | null;
}

/** Tolerant: null for what could not lead to a container. */
export function containerIn(value: unknown): InFlightContainer | null {
  if (typeof value !== 'object' || value === null) return null;
  const at = value as Record<string, unknown>;
  const { runtime, control, cwd, cidfile, folder } = at;
  if (typeof runtime !== 'string' || typeof cwd !== 'string' || !Array.isArray(control) || control.length === 0) return null;
  if (!control.every((word) => typeof word === 'string')) return null;
  return {
    runtime,
    control,
    cwd,
    env: textsIn(at.env),
    cidfile: typeof cidfile === 'string' && cidfile !== '' ? cidfile : null,
    cidfile_is_operators: at.cidfile_is_operators === true,
    folder: typeof folder === 'string' && folder.startsWith('/') ? folder : null,
  };
}

function textsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
