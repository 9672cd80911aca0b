import { type Sampler, startSampler } from '../host/sampler.ts';
import { listProcesses } from '../process/proc.ts';
import { findMembers } from '../run/members.ts';
import type { ProcessIdentity } from '../run/types.ts';
import type { RoundWorld } from './types.ts';

/** Samples host and agent beside the round. Escapees without their parent are not looked for: that costs a read per process. */
export function sampleRound({ paths, clock }: RoundWorld, roundNum: number, leader: ProcessIdentity): Sampler {
  const kinship = { leader, known: new Map<number, number>(), group: 'ours', ownPid: process.pid } as const;
  return startSampler({
    logDir: paths.logDir,
    clock,
    roundNum,
    pids: async () => findMembers(await listProcesses(), kinship, () => false).map(({ pid }) => pid),
  });
}
