import { createHash } from 'node:crypto';

/** `sha256:<hex>` of the bytes: how a configuration is told from another in events and state. */
export function digestOf(bytes: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
