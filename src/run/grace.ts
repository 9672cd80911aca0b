import type { ProcessEntry } from '../process/stat.ts';
import type { Clock } from '../util/clock.ts';
import { elapsed } from './deadlines.ts';
import type { Census } from './members.ts';
import type { ProcessTable } from './process-table.ts';

/** Members other than the agent itself, told apart: who works, and who only waits by the ignore patterns. */
export interface Company {
  working: ProcessEntry[];
  ignored: { member: ProcessEntry; matched: string }[];
}

export function sortCompany(
  members: readonly ProcessEntry[],
  isMain: (member: ProcessEntry) => boolean,
  commandLine: (pid: number) => string,
  patterns: readonly RegExp[],
): Company {
  const company: Company = { working: [], ignored: [] };
  for (const member of members) {
    if (isMain(member)) continue;
    const matched = helperPattern(commandLine(member.pid), patterns);
    if (matched === null) company.working.push(member);
    else company.ignored.push({ member, matched });
  }
  return company;
}

/**
 * Rootless podman's pause process: it holds the user name space for the next podman, is nobody's work, and comes back by itself. Podman
 * starts it from whatever command needed it first, an agent's too.
 */
const ALWAYS_HELPERS = [/^(\S*\/)?catatonit -P$/, /^(\S*\/)?podman pause$/];

/** The pattern by which this is a helper, or null. `search` instead of `test`: a pattern with the g flag would remember where it stopped. */
export function helperPattern(commandLine: string, patterns: readonly RegExp[]): string | null {
  return [...ALWAYS_HELPERS, ...patterns].find((pattern) => commandLine.search(pattern) >= 0)?.source ?? null;
}

/** When the agent last said that its turn is finished. */
export interface TurnEnd {
  /** Monotonic milliseconds; null before, and again when the turn went on after all. */
  finishedAt(): number | null;
  /** Resolves at the next change. */
  changed(signal: AbortSignal): Promise<void>;
}

export interface GraceOptions {
  turn: TurnEnd;
  graceMs: number;
  census: Census;
  table: ProcessTable;
  clock: Clock;
  ignorePatterns: readonly RegExp[];
  onExtended: (company: Company) => void;
  outsideCpuMs?: (() => Promise<number | null>) | undefined;
  signal: AbortSignal;
}

/** The predecessor's rhythm after a result. */
const LOOK_EVERY_MS = 1_000;
/** Outside the process tree nobody can be told from a helper that waits, so CPU decides: a twentieth of a core is work. */
const WORK_OUTSIDE_CPU_MS = 50;

/**
 * Resolves when the agent said 'result' and then stayed for `graceMs` with nobody working: MCP servers and helper shells keep such a
 * process alive for ever. While somebody works it waits on, up to the hard wall, and says so once. The first look comes at the end of
 * the grace; then known workers are checked every second, and the whole process table only when they are gone. Work outside the tree is
 * measured over one second then.
 */
export async function graceIsOver(options: GraceOptions): Promise<void> {
  const { turn, graceMs, census, table, clock, signal } = options;
  let told = false;
  let watched: ProcessEntry[] = [];
  while (!signal.aborted) {
    const finishedAt = turn.finishedAt();
    if (finishedAt === null) {
      await turn.changed(signal);
      continue;
    }
    const left = finishedAt + graceMs - clock.monotonic();
    if (left > 0) {
      await elapsed(clock, left, signal);
      continue;
    }
    watched = watched.filter((member) => table.isLiving(member));
    if (watched.length === 0) {
      const members = await census.take();
      const company = sortCompany(members, census.isMain, table.commandLine, options.ignorePatterns);
      if (company.working.length === 0 && !(await worksOutside(options))) {
        if (turn.finishedAt() === finishedAt) return;
        continue;
      }
      watched = company.working;
      if (!told) options.onExtended(company);
      told = true;
    }
    await elapsed(clock, LOOK_EVERY_MS, signal);
  }
}

async function worksOutside({ outsideCpuMs, clock, signal }: GraceOptions): Promise<boolean> {
  const before = (await outsideCpuMs?.()) ?? null;
  if (before === null) return false;
  await elapsed(clock, LOOK_EVERY_MS, signal);
  const after = (await outsideCpuMs?.()) ?? null;
  return after !== null && after - before >= WORK_OUTSIDE_CPU_MS;
}
