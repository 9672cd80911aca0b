import type { CommanderError } from 'commander';
import { RunnerError } from '../util/errors.ts';
import { LATER_VERBS } from './verbs.ts';

/**
 * commander's complaint (`error: unknown option '--jsno'\n(Did you mean --json?)`) as our one line with a code. It names the verb that
 * was meant; one that a later version brings is said to be so. `verb`: the one that was typed, if it is one.
 */
export function usageError({ code, message }: Pick<CommanderError, 'code' | 'message'>, verb: string | null = null): RunnerError {
  const [first = '', hint] = message.replace(/^error: /, '').split('\n');
  const complaint = first.replace(/\.$/, '');
  const suggestion = hint?.match(/\(Did you mean (.+)\?\)/)?.[1];

  if (code === 'commander.unknownCommand') {
    const typed = complaint.match(/'(.*)'/)?.[1] ?? '';
    if (LATER_VERBS.includes(typed)) return laterVerb(typed);
    return new RunnerError({
      code: 'AR-CLI-001',
      message: `unknown verb '${typed}'`,
      remedy: suggestion === undefined ? "'agent-runner --help' lists the verbs" : `Did you mean '${suggestion.replace(/^one of /, '')}'?`,
      exit: 'usage',
    });
  }
  return new RunnerError({
    code: 'AR-CLI-002',
    message: complaint,
    remedy:
      suggestion === undefined
        ? `'agent-runner ${verb === null ? '' : `${verb} `}--help' lists what it takes`
        : `Did you mean '${suggestion.replace(/^one of /, '')}'?`,
    exit: 'usage',
  });
}

function laterVerb(verb: string): RunnerError {
  return new RunnerError({
    code: 'AR-CLI-003',
    message: `'${verb}' is not in this version yet`,
    remedy: "A later version brings it; 'agent-runner --help' lists what is there",
    exit: 'usage',
  });
}
