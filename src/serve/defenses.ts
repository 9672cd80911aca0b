import type { LoadedConfig } from '../config/load.ts';
import { accountOf } from '../config/profile.ts';
import type { Config } from '../config/schema.ts';
import { commandsOf } from '../hooks/commands.ts';
import type { MemorySignal } from '../host/memory/signal.ts';
import type { LeafFacts } from '../process/isolation.ts';
import { startsContainer } from '../round/agent-commands.ts';
import { STREAK_LIMITS } from '../state/serve-state.ts';

/** One guard as data: `peek`, the banner of `serve` and the docs print the same list. */
export interface Defense {
  name: string;
  /** The number or rule in force. */
  value: string;
  /** The incident that taught it. */
  codifies: string;
  /** The test that holds it, relative to the project's root. */
  guarded_by: string;
  current_state: 'active' | 'degraded' | 'off';
}

export interface HostFacts {
  /** /proc is there: escapees are found by the mark in their environment. */
  hasProc: boolean;
  /** mkfifo works in the temporary directory: `> /dev/stderr` reaches the log. */
  hasFifo: boolean;
  /** Control groups for rounds, as a supervisor found them at its start. */
  leaf: Pick<LeafFacts, 'available' | 'reason' | 'kill' | 'memory'>;
  /** By what the memory of the machine can be judged. */
  memory: MemorySignal;
}

const memorySignal: Record<MemorySignal, string> = {
  pressure: 'waits while memory is critical, by pressure (PSI)',
  swap: 'waits while memory is critical, by swapping and free memory: this kernel tells no pressure',
  none: 'no signal: this system tells neither pressure nor free memory (mem_signal_unavailable)',
};

/** What stands between an unattended agent and the rest, on this host and with this configuration. */
export function defenses(loaded: LoadedConfig, host: HostFacts): Defense[] {
  const { runtime, limits, vcs, monitor } = loaded.config;
  const contained = startsContainer(loaded);
  const on = (active: boolean): Defense['current_state'] => (active ? 'active' : 'off');
  return [
    {
      name: 'hard wall',
      value: `${runtime.round_timeout_s} s a round, no extension`,
      codifies: 'an agent that polled for sixty minutes past its time-out',
      guarded_by: 'test/e2e/walls.test.ts',
      current_state: 'active',
    },
    {
      name: 'idle wall',
      value: runtime.idle_timeout_s > 0 ? `${runtime.idle_timeout_s} s without output, CPU or a changed file` : 'off',
      codifies: 'agents that hang on a silent connection until the hard wall',
      guarded_by: 'test/e2e/walls.test.ts',
      current_state: on(runtime.idle_timeout_s > 0),
    },
    {
      name: 'grace after the result',
      value: runtime.max_grace_after_result_s > 0 ? `${runtime.max_grace_after_result_s} s with nobody working` : 'off',
      codifies: 'rounds that hang after their result because a helper keeps the pipe open',
      guarded_by: 'test/e2e/walls.test.ts',
      current_state: on(runtime.max_grace_after_result_s > 0),
    },
    {
      name: 'reap ladder',
      value: host.hasProc ? 'group, session, descendants and marked escapees' : 'group and descendants',
      codifies: 'tool processes that outlive their agent and go on editing',
      guarded_by: 'test/integration/run/ladder.test.ts',
      current_state: host.hasProc ? 'active' : 'degraded',
    },
    {
      name: 'control group',
      value: groupRule(host.leaf, contained),
      codifies: 'tools that clear their environment and leave the session: no look at the processes finds them again',
      guarded_by: 'test/integration/run/leaf.test.ts',
      current_state: host.leaf.available && host.leaf.kill ? 'active' : 'degraded',
    },
    {
      name: 'PID namespace',
      value: runtime.pid_namespace ? 'one for each agent: its end is the end of everything in it' : 'off',
      codifies: 'processes that outlive their agent on hosts that give no control groups',
      guarded_by: 'test/integration/run/pid-namespace.test.ts',
      current_state: on(runtime.pid_namespace),
    },
    {
      name: 'memory of a round',
      value: memoryRule(limits.round_memory_max_mb, host.leaf.memory),
      codifies: 'a build inside a round that drove the host and the supervisor out of memory',
      guarded_by: 'test/integration/run/memory.test.ts',
      current_state: limits.round_memory_max_mb === null ? 'off' : host.leaf.memory ? 'active' : 'degraded',
    },
    {
      name: 'memory floor',
      value: monitor.host_health.in_round_mem_terminate
        ? `${monitor.host_health.mem_critical_consecutive_samples} critical looks in a row end a round: pressure every 10 s, what is left as often as it could run out`
        : 'looks and tells, ends nothing',
      codifies: 'a child of an agent that took the machine down with it',
      guarded_by: 'test/e2e/memory-floor.test.ts',
      current_state: !monitor.host_health.in_round_mem_terminate ? 'off' : host.memory === 'none' ? 'degraded' : 'active',
    },
    {
      name: 'memory gate',
      value: memorySignal[host.memory],
      codifies: 'a threshold on MemAvailable that no machine ever reached',
      guarded_by: 'test/unit/host/memory/ladder.test.ts',
      current_state: host.memory === 'none' ? 'degraded' : 'active',
    },
    {
      name: 'memory brake',
      value: monitor.host_health.brake_memory_high ? 'memory.high of the round while memory is short' : 'off',
      codifies: 'rounds that had to be ended because nobody slowed them down',
      guarded_by: 'test/e2e/memory-floor.test.ts',
      current_state: !monitor.host_health.brake_memory_high ? 'off' : host.leaf.memory ? 'active' : 'degraded',
    },
    {
      name: 'memory loop breaker',
      value: `${STREAK_LIMITS.memory} rounds in a row ended for memory: exit 71, a restart; the third time in two hours: exit 70`,
      codifies: 'a service that was restarted for ever',
      guarded_by: 'test/unit/serve/mem-loop.test.ts',
      current_state: 'active',
    },
    {
      name: 'disk',
      value: `log_dir, work_dir and the agents' TMPDIR and HOME: none starts above ${monitor.host_health.disk_critical_pct} %, a round ends when one is nearly full`,
      codifies: 'rounds that filled the disk, so that not even their own work could be kept',
      guarded_by: 'test/e2e/disk.test.ts',
      current_state: 'active',
    },
    {
      name: 'round in flight',
      value: "intent on disk before each spawn; a dead supervisor's round is ended at the next start",
      codifies: 'a second agent started beside the orphan of the first',
      guarded_by: 'test/e2e/kill-nine.test.ts',
      current_state: 'active',
    },
    {
      name: 'container stop ladder',
      value: contained ? 'stop, kill, rm by id or label, looked at after each; one that stays keeps the next round away' : 'no container',
      codifies: 'containers that outlived their round, silently: the client was killed and the engine went on',
      guarded_by: 'test/e2e/container/ends.test.ts',
      current_state: on(contained),
    },
    {
      name: 'orphan containers',
      value: contained ? 'those of this log_dir without a round in flight are ended at a start' : 'no container',
      codifies: "containers of a killed supervisor that worked on beside the next one's",
      guarded_by: 'test/e2e/container/recovery.test.ts',
      current_state: on(contained),
    },
    {
      name: 'crash loop breaker',
      value: `${STREAK_LIMITS.crash} failures in a row below 60 s, doubling delays, exit 75`,
      codifies: 'about a hundred empty rounds at a fixed delay',
      guarded_by: 'test/e2e/breakers.test.ts',
      current_state: 'active',
    },
    {
      name: 'stall breaker',
      value: `${STREAK_LIMITS.stall} walls, or ${STREAK_LIMITS.no_progress} quick rounds without usage, in a row without a change, exit 75; ${STREAK_LIMITS.quiet} where the CLI never tells usage`,
      codifies: 'nights of time-outs, and a CLI that exited 0 on every refusal, that nobody noticed',
      guarded_by: 'test/e2e/breakers.test.ts',
      current_state: 'active',
    },
    {
      name: 'budgets',
      value: budgetRule(limits),
      codifies: 'a night of rounds that cost more than the work was worth',
      guarded_by: 'test/e2e/budgets.test.ts',
      current_state: on(budgetRule(limits) !== 'no limit'),
    },
    {
      name: 'limits by account',
      value: limitRule(loaded.config),
      codifies: 'a limit that was forgotten, or that held back those whom it did not concern',
      guarded_by: 'test/unit/serve/turn/loop.test.ts',
      current_state: on(runtime.transient_error_action !== 'skip'),
    },
    {
      name: 'start-up battery',
      value: 'before every round; permanent failures exit 78',
      codifies: '123 empty rounds with a prompt that no CLI accepted',
      guarded_by: 'test/e2e/battery.test.ts',
      current_state: 'active',
    },
    {
      name: 'dirty tree',
      value: `${vcs.dirty_action} after a clean end, by SHA; left alone after a crash`,
      codifies: 'work that was lost to a stash popped by index',
      guarded_by: 'test/e2e/git.test.ts',
      current_state: on(vcs.dirty_action !== 'ignore'),
    },
    {
      name: 'git hardening',
      value: 'hooks, fsmonitor, filters and external diffs of the work tree do not run',
      codifies: 'a planted hook runs as the supervisor',
      guarded_by: 'test/integration/git/harden.test.ts',
      current_state: 'active',
    },
    {
      name: 'log bound',
      value: `${runtime.round_log_max_mb} MB a round, head and tail kept`,
      codifies: 'logs that filled the disk and stopped everything',
      guarded_by: 'test/e2e/output.test.ts',
      current_state: host.hasFifo ? 'active' : 'degraded',
    },
    {
      name: 'hook programs',
      value: commandsOf(loaded).length > 0 ? 'not run after a change where agents write, until `agent-runner ack hooks`' : 'no hooks',
      codifies: 'an agent that edits a script of the project which the supervisor runs',
      guarded_by: 'test/e2e/hooks.test.ts',
      current_state: on(commandsOf(loaded).length > 0),
    },
    {
      name: 'configuration digest',
      value: 'a change during a round waits for `agent-runner ack config`',
      codifies: 'an agent that rewrites its own limits',
      guarded_by: 'test/e2e/config-reload.test.ts',
      current_state: 'active',
    },
  ];
}

function budgetRule(limits: LoadedConfig['config']['limits']): string {
  const rules: [number | null, (n: number) => string][] = [
    [limits.max_rounds_per_hour, (n) => `${n} rounds an hour`],
    [limits.max_cost_usd_per_day, (n) => `$${n} a day`],
    [limits.max_tokens_per_day, (n) => `${n} tokens a day`],
    [limits.max_cost_usd_total, (n) => `$${n} in all, exit 75`],
    [limits.max_unproductive_rounds, (n) => `${n} rounds without a commit, exit 75`],
  ];
  return rules.flatMap(([n, words]) => (n === null ? [] : words(n))).join('; ') || 'no limit';
}

function memoryRule(maxMb: number | null, byKernel: boolean): string {
  if (maxMb === null) return 'no limit';
  return byKernel
    ? `${maxMb} MB, held by the kernel`
    : `${maxMb} MB, measured every second: no memory controller for control groups of rounds`;
}

function groupRule({ available, kill, reason }: HostFacts['leaf'], contained: boolean): string {
  const own = available ? `one for each round, joined before exec${kill ? ', killed as one' : `; ${reason}`}` : `none: ${reason}`;
  return contained ? `${own}; agents in containers have those of their engine` : own;
}

function limitRule({ agent, runtime }: Config): string {
  if (runtime.transient_error_action === 'skip') return 'rounds go on: transient_error_action = "skip"';
  const wait = 'waits to the stated end, 35 days ahead at most, else growing to 30 min; 5 min for a network that is down';
  return agent.fallback.length === 0 ? wait : `${wait}; ${agent.fallback.map(accountOf).join(', ')} may stand in`;
}
