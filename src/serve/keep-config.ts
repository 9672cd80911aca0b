import {
  type ConfigInUse,
  type ConfigStep,
  configAfter,
  configBefore,
  configTakenBack,
  digestOfFile,
  saveInUse,
} from '../config/in-use.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Emit } from '../events/emit.ts';
import type { Layout } from '../state/layout.ts';
import type { Clock } from '../util/clock.ts';
import type { Logger } from './log.ts';
import { askPerson, noLongerNeeded } from './person.ts';

/** The configuration in force: taken at the start, adopted anew only where a person asked for it, never behind the back of one. */
export interface ConfigKeeper {
  current(): LoadedConfig;
  requestReload(): void;
  /** Between rounds: adopts at once what a person has asked for, not only when a long wait is over. */
  adoptIfAsked(): void;
  beforeRound(): void;
  afterRound(roundNum: number | null): void;
  /** The start-up checks refuse what was adopted since the last round: the one before is in force again. False when nothing was adopted. */
  takeBack(reason: string): boolean;
}

interface KeepConfigInput {
  start: ConfigStep;
  paths: Layout;
  clock: Clock;
  emit: Emit;
  log: Logger;
  /** A changed configuration has been adopted. */
  onReloaded(): void;
}

export function keepConfig({ start, paths, clock, emit, log, onReloaded }: KeepConfigInput): ConfigKeeper {
  let inUse: ConfigInUse = start.inUse;
  let reload = false;
  let digestAtStart = '';
  /** In force before a reload under which no round has run yet. */
  let before: ConfigInUse | null = null;

  const take = (step: ConfigStep) => {
    if (step.events.some(({ kind }) => kind === 'config_reloaded')) before ??= inUse;
    inUse = step.inUse;
    for (const { kind, fields } of step.events) {
      emit(kind, fields as never);
      log.warn({ ...fields }, WORDS[kind]);
      if (kind === 'config_reloaded') onReloaded();
    }
    if (step.file === 'suspect') {
      askPerson(paths, emit, clock.now(), {
        reason: 'config',
        message: `${inUse.loaded.path} was changed while an agent was running; the configuration before that stays in force`,
        command: 'agent-runner ack config',
      });
    } else noLongerNeeded(paths, ['config']);
  };

  saveInUse(paths, inUse);
  take(start);
  before = null;
  return {
    current: () => inUse.loaded,
    requestReload() {
      reload = true;
      log.info('reload asked for: a changed configuration is adopted between two rounds');
    },
    adoptIfAsked() {
      if (reload) take(configBefore(paths, inUse, true));
      reload = false;
    },
    beforeRound() {
      take(configBefore(paths, inUse, reload));
      reload = false;
      digestAtStart = digestOfFile(inUse.loaded.path);
    },
    afterRound(roundNum) {
      if (roundNum !== null) before = null;
      take(configAfter(paths, inUse, digestAtStart, roundNum));
    },
    takeBack(reason) {
      if (before === null) return false;
      const step = configTakenBack(paths, before, reason);
      before = null;
      take(step);
      onReloaded();
      return true;
    },
  };
}

const WORDS = {
  config_changed: 'the configuration file is not the one in force',
  config_reloaded: 'the changed configuration is in force',
  config_reload_failed: 'the changed configuration is wrong; the old one stays in force',
} as const;
