export interface ComposeFacts {
  project: string;
  image: string;
  install: string;
  /** Stage of deploy/Dockerfile that has the agent, where it gets a container of its own. */
  agentTarget: 'agent' | 'agent-runner';
  uid: number;
  gid: number;
  /** From the stop budget: how long a graceful stop may take, whole seconds. */
  graceS: number;
}

const GRACE = /^( *stop_grace_period:) \d+s$/gm;

/** A shipped compose file, filled in for one project. Each place is a line that the shipped file has with its own value. Pure. */
export function renderCompose(template: string, { project, image, install, agentTarget, uid, gid, graceS }: ComposeFacts): string {
  return withGrace(
    template
      .replaceAll('"agent-runner-claude:local"', () => yamlText(image))
      .replace(/AGENT_INSTALL: ".*"/, () => `AGENT_INSTALL: ${yamlText(install)}`)
      .replace(/target: agent$/m, `target: ${agentTarget}`)
      .replaceAll(/AGENT_UID: "\d+"/g, `AGENT_UID: "${uid}"`)
      .replaceAll(/AGENT_GID: "\d+"/g, `AGENT_GID: "${gid}"`)
      .replaceAll('/.agent-runner/work', () => `/.agent-runner/${yamlText(project).slice(1, -1)}`),
    graceS,
  );
}

/** The same file with the grace of today, everything else as somebody may have edited it. Pure. */
export function withGrace(text: string, graceS: number): string {
  return text.replaceAll(GRACE, `$1 ${graceS}s`);
}

/** `agent-runner-shop`: Compose takes small letters, digits, - and _; without one, every project's folder `deploy` would be the same. */
export function composeProject(project: string): string {
  const word = project
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
  return word === '' ? 'agent-runner' : `agent-runner-${word}`;
}

/** A JSON text is a YAML text; `$` begins a variable for Compose. */
function yamlText(text: string): string {
  return JSON.stringify(text).replaceAll('$', '$$$$');
}
