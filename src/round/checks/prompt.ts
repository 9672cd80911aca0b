import { RunnerError } from '../../util/errors.ts';
import { assemblePrompt, promptProblem } from '../prompt.ts';
import { type Check, type CheckResult, pass } from './check.ts';

/** Stands for the context of a real round, which is a few hundred bytes longer. */
const SAMPLE_CONTEXT = '{}';

export const promptsPass: Check = ({ profiles }) =>
  profiles.flatMap(({ label, profile }): CheckResult[] => {
    const fileCheck = `prompt_file_exists${label}`;
    const smokeCheck = `prompt_smoke_passes${label}`;
    if (profile.prompt.files.length === 0) return [];
    const failed = (name: string, code: string, reason: string, remedy: string): CheckResult[] => [
      { name, ok: false, permanent: true, code, reason, remedy },
    ];
    try {
      const { text } = assemblePrompt(profile, SAMPLE_CONTEXT);
      const withoutContext = assemblePrompt({ prompt: { ...profile.prompt, inject_context: false } }, SAMPLE_CONTEXT).text;
      const problem =
        withoutContext.trim() === ''
          ? 'the prompt is empty'
          : promptProblem(text, profile.agent.prompt_delivery, profile.agent.prompt_arg_template);
      if (problem === null) return [pass(fileCheck), pass(smokeCheck)];
      return failed(
        smokeCheck,
        'AR-CHK-005',
        `${profile.prompt.files[0]}: ${problem}`,
        'edit the prompt file; agents need a real task in it',
      );
    } catch (error) {
      if (error instanceof RunnerError) return failed(fileCheck, error.code, error.message, error.remedy ?? '');
      throw error;
    }
  });
