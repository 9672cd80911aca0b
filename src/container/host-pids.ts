import { readdirSync } from 'node:fs';

/** Every pid of the host as this process sees it; empty where there is no /proc, or where it cannot be listed. */
export function hostPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}
