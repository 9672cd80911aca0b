import { readFileSync } from 'node:fs';

/** RTF_UP and RTF_REJECT of linux/route.h and linux/ipv6_route.h. */
const UP = 0x1;
const REJECT = 0x200;

/**
 * Whether this machine has a way out: a default route, by IPv4 or IPv6. A network of containers on it has none, a cable that is out and
 * a Wi-Fi that is gone take theirs with them. Null where the kernel does not tell (no /proc).
 */
export function hasDefaultRoute(read: (path: string) => string | null = textOf): boolean | null {
  const four = read('/proc/net/route');
  const six = read('/proc/net/ipv6_route');
  if (four === null && six === null) return null;
  return linesOf(four).some(isDefault4) || linesOf(six).some(isDefault6);
}

/** Columns: interface, destination, gateway, flags, references, use, metric, mask. */
function isDefault4([, destination, , flags, , , , mask]: string[]): boolean {
  return destination === '00000000' && mask === '00000000' && isUsable(flags);
}

/** Columns: destination, its length, source, its length, next hop, metric, references, use, flags, interface. */
function isDefault6([destination, length, , , , , , , flags, device]: string[]): boolean {
  return destination === '0'.repeat(32) && length === '00' && device !== 'lo' && isUsable(flags);
}

function isUsable(flags: string | undefined): boolean {
  const bits = Number.parseInt(flags ?? '', 16);
  return (bits & UP) !== 0 && (bits & REJECT) === 0;
}

function linesOf(table: string | null): string[][] {
  return (table ?? '').split('\n').map((line) => line.trim().split(/\s+/));
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Whether a machine that had a way out has none any more. One that never had any (a namespace of a test, a model of its own) is well. */
export function watchWayOut(hasRoute: () => boolean | null = hasDefaultRoute): () => boolean {
  let had = hasRoute() === true;
  return () => {
    const has = hasRoute();
    had ||= has === true;
    return had && has === false;
  };
}
