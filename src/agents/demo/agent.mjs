#!/usr/bin/env node
// A scripted agent for trying out agent-runner without a model: speaks stream-json like a real CLI and does in turn what agents do at
// night. DEMO_AGENT_SCRIPT is a list such as `commit,dirty,crash,hang`; round N performs its N-th word, and then it begins again.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const round = Number(process.env.AGENT_RUNNER_ROUND_NUM ?? '1');
const script = (process.env.DEMO_AGENT_SCRIPT ?? 'commit,dirty').split(',').map((word) => word.trim());
const act = script[(Math.max(1, round) - 1) % script.length];
const startedAt = performance.now();

const say = (record) => process.stdout.write(`${JSON.stringify(record)}\n`);
const speak = (text) => say({ type: 'assistant', message: { model: 'scripted', content: [{ type: 'text', text }] } });
const finish = (text) =>
  say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: Math.round(performance.now() - startedAt),
    result: text,
    total_cost_usd: 0,
    usage: { input_tokens: prompt.length, output_tokens: text.length, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  });

const prompt = readFileSync(0, 'utf8');
say({ type: 'system', subtype: 'init', model: 'scripted', prompt_bytes: Buffer.byteLength(prompt) });

const acts = {
  /** A good round: a change and a commit. */
  commit() {
    appendFileSync('journal.md', `- round ${round}: one more line\n`);
    execFileSync('git', ['add', 'journal.md']);
    execFileSync('git', [
      '-c',
      'user.name=Demo Agent',
      '-c',
      'user.email=demo@localhost',
      'commit',
      '-q',
      '-m',
      `Round ${round}: one more line`,
    ]);
    finish(`committed a line in round ${round}`);
  },
  /** Ends well and leaves its work uncommitted. */
  dirty() {
    writeFileSync(`draft-${round}.md`, `left behind by round ${round}\n`);
    finish(`wrote draft-${round}.md and forgot to commit it`);
  },
  /** Dies half way through a change. */
  crash() {
    writeFileSync(`half-${round}.md`, 'half a thou');
    process.stderr.write('scripted agent: cannot continue\n');
    process.exit(7);
  },
  /**
   * Never ends, and has a helper that is hard to kill: in a session of its own, its parent gone, deaf to TERM. Both write a heartbeat
   * beside the logs, so that anybody can see when they really stopped.
   */
  hang() {
    process.on('SIGTERM', () => speak('heard SIGTERM, staying'));
    const heartbeat = join(process.env.AGENT_RUNNER_LOG_DIR ?? '.', 'demo-heartbeat');
    const deaf = `trap "" TERM HUP INT; while :; do date +%s%N > '${heartbeat.replaceAll("'", "'\\''")}'; sleep 0.1; done`;
    spawn('setsid', ['sh', '-c', `(${deaf}) & exit 0`], { stdio: 'ignore' });
    speak('waiting for an answer that never comes');
    setInterval(() => {}, 1000);
  },
  /** Nothing is left to do. */
  done() {
    writeFileSync(join(process.env.AGENT_RUNNER_LOG_DIR ?? '.', '.agent-done'), 'the script is over\n');
    finish('nothing left to do');
  },
};

speak(`round ${round}: ${act}`);
(acts[act] ?? acts.commit)();
