#!/usr/bin/env node
// A scripted agent for trying out agent-runner without a model: speaks stream-json like a real CLI and does in turn what agents do at
// night. DEMO_AGENT_SCRIPT is a list such as `commit,dirty,crash,hang`; round N performs its N-th word, and then it begins again. A word
// as first argument is performed in every round, and a second one says where a heartbeat is written: `agent-runner drill` uses these.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const round = Number(process.env.AGENT_RUNNER_ROUND_NUM ?? '1');
const script = (process.env.DEMO_AGENT_SCRIPT ?? 'commit,dirty').split(',').map((word) => word.trim());
const act = process.argv[2] ?? script[(Math.max(1, round) - 1) % script.length];
const heartbeat = process.argv[3] ?? join(process.env.AGENT_RUNNER_LOG_DIR ?? '.', 'demo-heartbeat');
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

const prompt = act === 'unread' ? '' : readFileSync(0, 'utf8');
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
   * Never ends, and has a helper that is hard to kill: in a session of its own, its parent gone, deaf to TERM. It writes a heartbeat, so
   * that anybody can see when it really stopped.
   */
  hang() {
    process.on('SIGTERM', () => speak('heard SIGTERM, staying'));
    const deaf = `trap "" TERM HUP INT; n=0; while :; do n=$((n+1)); echo $n > '${heartbeat.replaceAll("'", "'\\''")}'; sleep 0.1; done`;
    // An image may have no setsid: then the helper keeps its session, and is in the background all the same.
    spawn('sh', ['-c', `if command -v setsid >/dev/null; then setsid sh -c "$0" & else sh -c "$0" & fi; exit 0`, deaf], {
      stdio: 'ignore',
    });
    speak('waiting for an answer that never comes');
    setInterval(() => {}, 1000);
  },
  /** Changes nothing and ends well. */
  finish() {
    finish('looked around and changed nothing');
  },
  /** Its provider says that the account has used up its limit, for an hour. */
  limit() {
    const resetsAt = Math.floor(Date.now() / 1000) + 3600;
    say({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', rateLimitType: 'five_hour', resetsAt } });
    say({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429, result: 'You have hit your limit' });
    process.exitCode = 1;
  },
  /** Hears every polite signal, and stays. */
  deaf() {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => speak(`heard ${signal}, staying`));
    speak('thinking');
    setInterval(() => {}, 1000);
  },
  /** Twenty-four megabytes of output, faster than anybody reads, and a good end. */
  flood() {
    const line = `${'The same thought again and again. '.repeat(30)}\n`.repeat(64);
    for (let written = 0; written < 24 * 1024 ** 2; written += line.length) writeAll(line);
    finish('that was all');
  },
  /** Never looks at its standard input, and never ends. */
  unread() {
    speak('not listening');
    setInterval(() => {}, 1000);
  },
  /** Nothing is left to do. */
  done() {
    writeFileSync(join(process.env.AGENT_RUNNER_LOG_DIR ?? '.', '.agent-done'), 'the script is over\n');
    finish('nothing left to do');
  },
};

function writeAll(text) {
  for (let bytes = Buffer.from(text); bytes.length > 0; ) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      // A pipe that somebody made non-blocking is full.
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

speak(`round ${round}: ${act}`);
(acts[act] ?? acts.commit)();
