import { type Sampler, startSampler } from '../host/sampler.ts';
import type { ProcessIdentity } from '../run/types.ts';
import { kinPids } from './kin.ts';
import type { RoundWorld } from './types.ts';

/** Samples host and agent beside the round. */
export function sampleRound({ paths, clock }: RoundWorld, roundNum: number, leader: ProcessIdentity): Sampler {
  return startSampler({ logDir: paths.logDir, clock, roundNum, pids: () => kinPids(leader) });
}
