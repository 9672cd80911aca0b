import { exitCode } from '../util/exit-codes.ts';
import type { LoopEnd, LoopState } from './world.ts';

/** An end that is nobody's fault. */
export function clean(state: LoopState, reason: string, sentence: string): LoopEnd {
  return end(state, reason, exitCode('ok'), sentence, null);
}

export function end(state: LoopState, reason: string, code: number, sentence: string, remedy: string | null): LoopEnd {
  return { reason, exitCode: code, sentence, remedy, logPath: state.lastResult?.logPath ?? null, roundsCompleted: state.roundsCompleted };
}
