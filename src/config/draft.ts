import type { ConfigFile } from './schema.ts';

type Table = Record<string, unknown>;

type Partly<T> = { [K in keyof T]?: T[K] };

/** What could be read of a file: a key that had a problem of its own is absent, and rules that need it do not speak. */
export interface Draft {
  agent: Partly<ConfigFile['agent']>;
  runtime: Partly<ConfigFile['runtime']>;
  prompt: Partly<ConfigFile['prompt']>;
  phases: Partly<Pick<ConfigFile['phases'], 'list' | 'phase_policy'>>;
  schedule: Partly<ConfigFile['schedule']>;
  monitor: Partly<ConfigFile['monitor']>;
  notify: Partly<ConfigFile['notify']>;
  hooks: Partly<ConfigFile['hooks']>;
  plugins: Table;
  /** `[phases.<name>]`, only what is written there. */
  overrides: Record<string, PhaseDraft>;
}

export interface PhaseDraft {
  round_timeout_s?: number | null;
  round_budget_s?: number | null;
  disable_pre_round_hooks?: boolean;
  agent?: Partly<ConfigFile['agent']>;
  runtime?: { round_timeout_s?: number | null; round_budget_s?: number | null; disable_pre_round_hooks?: boolean };
  prompt?: { files?: string[] };
  schedule?: Partly<ConfigFile['schedule']>;
}

/** readTable gives plain tables whose leaves were each parsed by their own schema: here they get their types. */
export function draftOf(read: Table): Draft {
  const { list, phase_policy: policy, ...overrides } = read.phases as Table;
  return {
    ...(read as unknown as Omit<Draft, 'phases' | 'overrides'>),
    phases: { ...(list === undefined ? {} : { list }), ...(policy === undefined ? {} : { phase_policy: policy }) } as Draft['phases'],
    overrides: overrides as Record<string, PhaseDraft>,
  };
}
