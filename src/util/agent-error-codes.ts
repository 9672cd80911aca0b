/** AGT: adapters of agent CLIs. Part of `ERROR_CODES`. */
export const AGENT_ERROR_CODES = {
  'AR-AGT-001': {
    title: 'There is no such adapter',
    cause: '`agent.adapter` is neither the name of a shipped adapter nor a path (with a `/`, or ending in .mjs, .js or .ts).',
    remedy: 'Remove the key: the adapter follows from the name of the command. docs/agents.md lists the names.',
  },
  'AR-AGT-002': {
    title: 'The adapter module cannot be loaded',
    cause: 'The ES module that `agent.adapter` names is missing, has a syntax error, or throws while it is loaded.',
    remedy: 'Mend the module; `node PATH` shows where it fails. A relative path begins at `work_dir`.',
  },
  'AR-AGT-003': {
    title: 'The module is no adapter',
    cause: 'It was loaded, but what it exports is not what docs/agents.md asks for; the message names the part.',
    remedy: 'Export an object as default with a function `read` that returns `{ line, conclude }`.',
  },
  'AR-AGT-004': {
    title: 'The log to explain cannot be read',
    cause: 'The file that `explain` was given is missing, is a folder, or may not be read by this user.',
    remedy: 'Name the log of a round; `agent-runner peek` shows where they are.',
  },
  'AR-AGT-005': {
    title: 'The adapter module was changed',
    cause:
      'The module of `agent.adapter` lies in work_dir or log_dir and is not what it was: an agent may have written it, and it would run as the supervisor.',
    remedy: 'Look at it. If it is right, `agent-runner ack hooks`; better keep it outside the work tree.',
  },
} as const;
