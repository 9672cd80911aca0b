/** How an agent CLI gets into an image, and which secret it wants there. */
export interface AgentImage {
  /** Shell command of the build, run as root; '' when there is nothing to install. */
  install: string;
  /** Name of the variable that holds its key; null when it has none that is usual. */
  credential: string | null;
}

/** By identity (file name of `command[0]`). The recipes say the same with more words. */
const AGENT_IMAGES: Readonly<Record<string, AgentImage>> = {
  claude: { install: 'npm install -g @anthropic-ai/claude-code', credential: 'ANTHROPIC_API_KEY' },
  codex: { install: 'npm install -g @openai/codex', credential: 'CODEX_API_KEY' },
  gemini: { install: 'npm install -g @google/gemini-cli', credential: 'GEMINI_API_KEY' },
  opencode: { install: 'npm install -g opencode-ai', credential: 'ANTHROPIC_API_KEY' },
  pi: { install: 'npm install -g @earendil-works/pi-coding-agent', credential: 'ANTHROPIC_API_KEY' },
  qwen: { install: 'npm install -g @qwen-code/qwen-code', credential: 'OPENAI_API_KEY' },
  kimi: { install: 'npm install -g @moonshot-ai/kimi-code', credential: 'KIMI_MODEL_API_KEY' },
  codewhale: { install: 'npm install -g codewhale', credential: 'DEEPSEEK_API_KEY' },
  aider: {
    install:
      'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv && python3 -m venv /opt/aider && /opt/aider/bin/pip install -q aider-chat && ln -s /opt/aider/bin/aider /usr/local/bin/aider',
    credential: 'ANTHROPIC_API_KEY',
  },
};

const UNKNOWN: AgentImage = { install: '', credential: null };

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
