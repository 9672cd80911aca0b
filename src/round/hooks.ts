import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { accountOf, agentIdentity } from '../config/profile.ts';
import type { TreeState } from '../git/tree.ts';
import { treeState } from '../git/tree.ts';
import { contextIn, mergeContext } from '../hooks/context.ts';
import { projectFacts } from '../hooks/facts.ts';
import type { PostRoundInput, PreRoundInput } from '../hooks/schemas.ts';
import { hooksOf, lookAtPrograms, runSeries } from '../hooks/series.ts';
import { isoTime } from '../util/clock.ts';
import { seconds } from '../util/duration.ts';
import type { RoundBodyReport } from './body.ts';
import { contextJson, type RoundContext, writeRoundContext } from './context.ts';
import type { OpenRound } from './open.ts';
import { assemblePrompt, promptProblem } from './prompt.ts';
import type { RoundRequest, RoundResult, RoundWorld } from './types.ts';
import { rememberPreexisting } from './world.ts';

/**
 * The user's pre_round hooks: what they say goes into the round's context, what they do to the tree is a person's work and not the
 * agent's. Resolves with the tree as the agent finds it; null when serve is to stop and no agent should be started any more.
 */
export async function beforeAgent(
  world: RoundWorld,
  { loaded, stop, drain }: RoundRequest,
  open: OpenRound,
  before: TreeState,
): Promise<TreeState | null> {
  const { hooks } = world;
  const { profile, roundNum } = open;
  if (hooks === undefined || profile.runtime.disable_pre_round_hooks || hooksOf(loaded, 'pre_round').length === 0) return before;
  const prompts = promptWatch(world, open);
  await runSeries(hooks, {
    kind: 'pre_round',
    loaded,
    roundNum,
    signal: stop,
    payload: (): PreRoundInput => ({
      ...projectFacts(loaded),
      hook: 'pre_round',
      ...roundFacts(open),
      fresh_eyes: open.freshEyes,
      git_head: before.head,
      context: { ...open.context },
    }),
    take(stdout, truncated) {
      const found = contextIn(stdout, truncated);
      if ('problem' in found) return found.problem;
      return found.context === null ? null : addContext(world, open, found.context);
    },
    after: prompts.look,
  });
  if (stop.aborted || drain?.aborted) return null;
  const after = await treeState(world.repo);
  if (after.problem !== null || before.problem !== null) return after;
  const dirty = new Set<string>(before.entries.map(({ path }) => path));
  const own = after.entries.map(({ path }): string => path).filter((path) => !dirty.has(path));
  for (const path of own) world.preexisting.add(path);
  if (own.length > 0) rememberPreexisting(world.paths, world.preexisting);
  return after;
}

/** The user's post_round hooks, once everything about the round is settled. */
export async function afterRound(
  world: RoundWorld,
  { loaded, stop }: RoundRequest,
  open: OpenRound,
  headBefore: string | null,
  report: RoundBodyReport,
  result: RoundResult,
): Promise<void> {
  const { hooks } = world;
  if (hooks === undefined) return;
  lookAtPrograms(hooks, loaded);
  if (hooksOf(loaded, 'post_round').length === 0) return;
  const payload = (): PostRoundInput => ({
    ...projectFacts(loaded),
    hook: 'post_round',
    ...roundFacts(open),
    ended_at: isoTime(open.startedAt + result.durationMs),
    ...resultFacts(report, result),
    head_before: headBefore,
  });
  await runSeries(hooks, { kind: 'post_round', loaded, roundNum: open.roundNum, signal: stop, payload: () => redacted(world, payload()) });
}

function roundFacts({ roundNum, roundId, phase, profile, startedAt, logPath }: OpenRound) {
  const agent = agentIdentity(profile.agent);
  const account = accountOf(profile.agent);
  return { round_num: roundNum, round_id: roundId, phase, agent, account, started_at: isoTime(startedAt), log_path: logPath };
}

function resultFacts({ run, turn, container }: RoundBodyReport, { outcome, moved, head, problems, durationMs }: RoundResult) {
  const { members, signalled, escaped, survivors, containerId, durationMs: endedIn } = run.receipt;
  const { error } = turn;
  const refuses = error !== null && (error.kind === 'rate_limited' || error.kind === 'provider_error');
  return {
    outcome,
    exit_code: run.exitCode,
    signal: run.signal,
    duration_s: seconds(durationMs),
    moved,
    head_after: head,
    usage: turn.usage === null ? null : { ...turn.usage },
    wait: refuses ? { classification: error.classification, until: statedEnd(error.resetAtEpoch), raw: error.raw } : null,
    receipt: {
      members,
      signalled,
      escaped,
      survivors: [...survivors, ...(container?.survivor ? [container.survivor] : [])],
      container_id: containerId,
      duration_ms: Math.round(endedIn),
    },
    problems,
  };
}

/** A date that JavaScript cannot hold is no stated end. */
function statedEnd(epochS: number | null | undefined): string | null {
  const ms = (epochS ?? Number.NaN) * 1000;
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? isoTime(ms) : null;
}

function redacted(world: RoundWorld, payload: PostRoundInput): PostRoundInput {
  const hide = world.hide ?? ((text: string) => text);
  const { wait, problems } = payload;
  return { ...payload, wait: wait === null ? null : { ...wait, raw: hide(wait.raw) }, problems: problems.map(hide) };
}

/** Under `hooks` in the context; what would make it unusable is refused, with the reason. */
function addContext({ paths }: RoundWorld, open: OpenRound, added: Record<string, unknown>): string | null {
  const merged = mergeContext(open.context.hooks ?? {}, added);
  if ('problem' in merged) return merged.problem;
  const context: RoundContext = { ...open.context, hooks: merged.merged };
  const tooLong = promptProblemWith(open, contextJson(context));
  if (tooLong !== null) return `its context cannot be used: ${tooLong}`;
  open.context = context;
  open.contextJson = contextJson(context);
  try {
    writeRoundContext(paths, context);
    return null;
  } catch (error) {
    return `the context reached the prompt and not its file: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What only this context does to the prompt: too long for an argument. Other problems of prompts are told by the agent's start. */
function promptProblemWith({ profile, contextJson: before }: OpenRound, json: string): string | null {
  const { prompt_delivery: delivery, prompt_arg_template: template } = profile.agent;
  const problem = (text: string) => promptProblem(assemblePrompt(profile, text).text, delivery, template);
  try {
    return problem(before) === null ? problem(json) : null;
  } catch {
    return null;
  }
}

/** Tells when a hook has rewritten a prompt file: an agent that was told something else than its operator believes is hard to understand. */
function promptWatch({ emit }: RoundWorld, { profile, roundNum, phase }: OpenRound) {
  const hashes = () => profile.prompt.files.map(hashOf);
  let before = hashes();
  return {
    look(hook: string) {
      const now = hashes();
      for (const [i, path] of profile.prompt.files.entries()) {
        const [old, fresh] = [before[i] ?? null, now[i] ?? null];
        if (old !== fresh)
          emit('prompt_overwritten', { round_num: roundNum, phase, hook, prompt_path: path, old_hash: old, new_hash: fresh });
      }
      before = now;
    },
  };
}

/** sha256 of a file's bytes; null when it cannot be read. */
function hashOf(file: string): string | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(descriptor).isFile() ? createHash('sha256').update(readFileSync(descriptor)).digest('hex') : null;
  } catch {
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}
