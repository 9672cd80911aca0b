/** How an agent CLI gets into an image, and what it must be told there. */
export interface AgentImage {
  /** Shell command of the build, run as root; '' when there is nothing to install. */
  install: string;
  /** Names of the variables that hold its key and provider; the key that most people have, where it takes several. */
  credentials: readonly string[];
}

/** By identity (file name of `command[0]`). The recipes say the same with more words. */
const AGENT_IMAGES: Readonly<Record<string, AgentImage>> = {
  claude: { install: 'npm install -g @anthropic-ai/claude-code', credentials: ['ANTHROPIC_API_KEY'] },
  codex: { install: 'npm install -g @openai/codex', credentials: ['CODEX_API_KEY'] },
  gemini: { install: 'npm install -g @google/gemini-cli', credentials: ['GEMINI_API_KEY'] },
  opencode: { install: 'npm install -g opencode-ai', credentials: ['ANTHROPIC_API_KEY'] },
  pi: { install: 'npm install -g @earendil-works/pi-coding-agent', credentials: ['ANTHROPIC_API_KEY'] },
  qwen: { install: 'npm install -g @qwen-code/qwen-code', credentials: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'] },
  kimi: { install: 'npm install -g @moonshot-ai/kimi-code', credentials: ['KIMI_MODEL_NAME', 'KIMI_MODEL_API_KEY'] },
  codewhale: { install: 'npm install -g codewhale', credentials: ['DEEPSEEK_API_KEY'] },
  aider: {
    install:
      'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv && python3 -m venv /opt/aider && /opt/aider/bin/pip install -q aider-chat && ln -s /opt/aider/bin/aider /usr/local/bin/aider',
    credentials: ['ANTHROPIC_API_KEY'],
  },
};

const UNKNOWN: AgentImage = { install: '', credentials: [] };

export function agentImage(identity: string): AgentImage {
  return (Object.hasOwn(AGENT_IMAGES, identity) ? AGENT_IMAGES[identity] : undefined) ?? UNKNOWN;
}

/** `agent-runner-claude:local`: a name that no registry has, so that nothing is ever fetched in its place. */
export function imageName(identity: string): string {
  const word = identity
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `agent-runner-${word === '' ? 'agent' : word}:local`;
}
