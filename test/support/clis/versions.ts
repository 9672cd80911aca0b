import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

interface PinnedCli {
  package: string;
  version: string;
  /** What agent-runner calls it by; default: its name here. */
  command?: string;
  /** Below node_modules: the file that the package's own install script would put in place of a stub. Default: `.bin/COMMAND`. */
  program?: string;
  /** The version of Node that it needs, where the one that runs the tests may be too old. */
  node?: string;
  /** A part of the short set. */
  short?: boolean;
}

export const TARGET = `${process.platform}-${process.arch}`;
const CLAUDE = { package: '@anthropic-ai/claude-code', program: `@anthropic-ai/claude-code-${TARGET}/claude` };

/** The agent CLIs that tests drive for real, in the newest versions that run on Node 20, and two newer ones. */
const CLIS = {
  claude: { ...CLAUDE, version: '2.1.197', short: true },
  codex: { package: '@openai/codex', version: '0.171.0' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', short: true },
  opencode: { package: 'opencode-ai', version: '1.18.33', program: `opencode-${TARGET}/bin/opencode` },
  pi: { package: '@earendil-works/pi-coding-agent', version: '0.74.2', short: true },
  qwen: { package: '@qwen-code/qwen-code', version: '0.15.10' },
  'newer claude': { ...CLAUDE, version: '2.1.332', command: 'claude' },
  'newer pi': { package: '@earendil-works/pi-coding-agent', version: '1.6.0', command: 'pi', node: '22.23.5' },
} as const satisfies Record<string, PinnedCli>;

export type CliName = keyof typeof CLIS;
export const CLI_NAMES = Object.keys(CLIS) as CliName[];
export const pinned = (name: CliName): PinnedCli => CLIS[name];
export const commandOf = (name: CliName): string => pinned(name).command ?? name;

const CACHE =
  process.env.AGENT_RUNNER_TEST_CLI_CACHE ?? join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'agent-runner-test/clis');

/** The folder of one of them, whether it is there or not; its program is `bin/COMMAND` in it. */
export const folderOf = (name: CliName): string => join(CACHE, `${commandOf(name)}-${pinned(name).version}`);
export const isInstalled = (name: CliName): boolean => existsSync(join(folderOf(name), 'bin', commandOf(name)));
