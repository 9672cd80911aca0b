import type { TurnVerdict } from '../agents/adapter.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Profile } from '../config/profile.ts';
import type { Emit } from '../events/emit.ts';
import type { RoundLeaves } from '../process/cgroup-leaf.ts';
import type { ProcessIdentity, RunReport } from '../run/types.ts';
import type { InFlightContainer } from '../state/in-flight-container.ts';
import type { ContainerFacts } from './contained.ts';

/** Where the round's own control group is to be made, and which controllers it has. */
export type RoundLeaf = Pick<RoundLeaves, 'folder' | 'controllers'>;

export interface RoundBodyInput {
  loaded: LoadedConfig;
  profile: Profile;
  roundNum: number;
  /** Unique per round, and the mark that every process of it carries. */
  roundId: string;
  /** The identity of this log_dir: containers are labelled with it. */
  owner: string;
  freshEyes: boolean;
  contextJson: string;
  logPath: string;
  /** Null: the round goes without. */
  leaf: RoundLeaf | null;
  /** The supervisor's environment; the body decides what an agent inherits of it. */
  env: NodeJS.ProcessEnv;
  /** Aborting ends the body by the reap ladder. */
  stop: AbortSignal;
  /** Aborting cuts the ladder's grace short. */
  hurry: AbortSignal;
  emit: Emit;
  /** Something that a person should know and that does not keep the round from running. */
  warn: (line: string) => void;
  /** To be called the moment a process exists, so that it can be found again after a crash of ours. */
  onSpawned: (identity: ProcessIdentity) => void;
  /** To be called before a container is started, for the same reason. */
  onContainer: (container: InFlightContainer) => void;
}

export interface RoundBodyReport {
  run: RunReport;
  turn: TurnVerdict;
  /** basename of the agent's command: what throttles and usage are counted for. */
  identity: string;
  /** Null for an agent that ran in no container. */
  container: ContainerFacts | null;
}

/** What a round does between its start and its end: an agent run, later a pipeline. The round knows nothing else of it. */
export type RoundBody = (input: RoundBodyInput) => Promise<RoundBodyReport>;
