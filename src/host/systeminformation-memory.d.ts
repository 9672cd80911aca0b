/** The part of systeminformation that is used alone; the package types only its whole. */
declare module 'systeminformation/lib/memory.js' {
  const memory: { mem(): Promise<{ total: number; available: number }> };
  export default memory;
}
