/** Numbers that depend on the seed alone (mulberry32). */
export interface Random {
  /** In [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  shuffled<T>(items: readonly T[]): T[];
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    shuffled(items) {
      const left = [...items];
      return items.map(() => left.splice(Math.floor(next() * left.length), 1)[0] as (typeof items)[number]);
    },
  };
}
