import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import type { DiskBook } from '../host/disk/book.ts';
import { spaceOf, type WatchedFolder } from '../host/disk/space.ts';
import type { DiskVerdict } from '../host/disk/verdict.ts';
import { groupMemory } from '../host/memory/bounds.ts';
import { type MemoryVerdict, memoryVerdict } from '../host/memory/ladder.ts';
import { hostMemory, type MemorySample, sampleMemory } from '../host/memory/sample.ts';
import { cgroupFacts } from '../process/cgroup.ts';
import { profilesToCheck } from '../round/checks/profiles.ts';
import { writtenFolders } from '../round/folders.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { GateVerdict, GateView } from './gates/gate.ts';
import { askPerson, noLongerNeeded } from './person.ts';

/** What was swapped out since a look that is younger says nothing. */
const LEAST_DISTANCE_MS = 5_000;

/** So long may a full disk be somebody's clean-up in progress; then a person is asked. */
const DISK_PATIENCE_MS = 5 * 60 * 1000;

/** What the gates are told of the machine, and what is told of their answer. */
export interface Admission {
  look(loaded: LoadedConfig): Promise<Pick<GateView, 'memory' | 'disk'>>;
  /** Tells when memory begins to hold rounds back, and when it does so no longer. */
  answered(verdict: GateVerdict, view: Pick<GateView, 'memory' | 'disk'>): void;
}

export interface AdmissionParts {
  emit: Emit;
  clock: Clock;
  disks: DiskBook;
  env: NodeJS.ProcessEnv;
  paths: Layout;
  /** Tests give their own. */
  sample?: (at: number) => MemorySample;
  space?: typeof spaceOf;
}

export function openAdmission({ emit, clock, disks, env, paths, sample = ownSample(), space = spaceOf }: AdmissionParts): Admission {
  let before: MemorySample | null = null;
  let last: MemorySample | null = null;
  let deferredAt: number | null = null;
  let fullSince: number | null = null;
  // By a serve before this one, maybe.
  let mayBeAsked = true;
  let watched: { loaded: LoadedConfig; folders: WatchedFolder[] } | null = null;

  const memory = ({ config }: LoadedConfig): MemoryVerdict | null => {
    const at = clock.monotonic();
    if (last === null || at - last.at >= LEAST_DISTANCE_MS) {
      before = last;
      last = sample(at);
    }
    return memoryVerdict(last, before, config.monitor.host_health);
  };

  const disk = async (loaded: LoadedConfig): Promise<DiskVerdict | null> => {
    if (watched?.loaded !== loaded) {
      const folders = profilesToCheck(loaded).flatMap(({ profile }) => writtenFolders(loaded, profile, env));
      watched = { loaded, folders: folders.filter(({ folder }, i) => folders.findIndex((one) => one.folder === folder) === i) };
    }
    return disks.enter(await space(watched.folders, clock), loaded.config.monitor.host_health, null);
  };

  const tellOfMemory = (verdict: GateVerdict, now: MemoryVerdict | null) => {
    if (!verdict.open && verdict.reason === 'memory' && now !== null) {
      if (deferredAt !== null) return;
      deferredAt = clock.monotonic();
      emit('round_deferred', { severity: now.severity, signal: now.signal, message: now.message });
    } else if (deferredAt !== null && now?.severity !== 'critical') {
      emit('round_resumed', { deferred_for_s: Math.round((clock.monotonic() - deferredAt) / 1000) });
      deferredAt = null;
    }
  };

  const askAboutDisk = (verdict: GateVerdict, now: DiskVerdict | null) => {
    if (verdict.open || verdict.reason !== 'disk') {
      fullSince = null;
      if (!mayBeAsked || now?.severity === 'critical') return;
      noLongerNeeded(paths, ['disk']);
      mayBeAsked = false;
      return;
    }
    mayBeAsked = true;
    fullSince ??= clock.monotonic();
    if (clock.monotonic() - fullSince < DISK_PATIENCE_MS) return;
    askPerson(paths, emit, clock.now(), { reason: 'disk', message: verdict.sentence, command: 'agent-runner wake' });
  };

  return {
    async look(loaded) {
      return { memory: memory(loaded), disk: await disk(loaded) };
    },
    answered(verdict, now) {
      tellOfMemory(verdict, now.memory ?? null);
      askAboutDisk(verdict, now.disk ?? null);
    },
  };
}

function ownSample(): (at: number) => MemorySample {
  const { bound } = groupMemory(cgroupFacts());
  const { hostTotal } = hostMemory();
  const tight = bound !== null && hostTotal !== null && bound.max < hostTotal ? bound : null;
  return (at) => sampleMemory(at, tight);
}
