import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Profile } from '../config/profile.ts';
import { errnoOf, messageOf, RunnerError } from '../util/errors.ts';

export interface AssembledPrompt {
  text: string;
  /** Files after the first that could not be read and were left out. */
  skipped: string[];
}

/** Shorter prompts were always mistakes in the field (an empty file, a lost include): from the predecessor. */
const SMALLEST_PROMPT_BYTES = 500;
/** Linux MAX_ARG_STRLEN: one argv element of 131,072 bytes (its NUL included) or more makes exec fail with E2BIG. */
const LARGEST_ARGUMENT_BYTES = 131_071;

/** Begins a prompt that has its context in front. */
const CONTEXT_FENCE = '```json round-context';

/** Reads the prompt files anew, so that an edit counts from the next round on. Throws AR-CHK-004 when the first cannot be read. */
export function assemblePrompt({ prompt }: Pick<Profile, 'prompt'>, contextJson: string): AssembledPrompt {
  const [first, ...others] = prompt.files;
  if (first === undefined) return { text: '', skipped: [] };
  const skipped: string[] = [];
  const parts = [prompt.strip_yaml_frontmatter ? stripFrontMatter(readPrompt(first)) : readPrompt(first)];
  for (const file of others) {
    try {
      parts.push(readPrompt(file));
    } catch {
      skipped.push(file);
    }
  }
  const body = parts.join(prompt.concat_separator);
  const prepends = prompt.inject_context && prompt.context_injection_mode === 'prepend';
  return { text: prepends ? `${CONTEXT_FENCE}\n${contextJson}\n\`\`\`\n\n${body}` : body, skipped };
}

function readPrompt(file: string): string {
  let descriptor: number | null = null;
  try {
    // An agent may have put a FIFO there, and without O_NONBLOCK its open would wait for a writer for ever.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw new Error('no regular file');
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    const problem = errnoOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errnoOf(error) ?? messageOf(error)})`;
    throw new RunnerError({
      code: 'AR-CHK-004',
      message: `prompt file ${file} ${problem}`,
      remedy: 'create it, or correct [prompt] file/files in the configuration',
      exit: 'config',
      cause: error,
    });
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Drops one leading YAML block (`---` ... `---`): agent CLIs take a first argument that begins with `-` for a flag. */
export function stripFrontMatter(text: string): string {
  const body = text.replace(/^\uFEFF/, '');
  const opening = /^---[ \t]*\r?\n/.exec(body);
  if (!opening) return text;
  const closing = /\r?\n---[ \t]*(?:\r?\n|$)/.exec(body.slice(opening[0].length - 1));
  if (!closing) return text;
  return body.slice(opening[0].length - 1 + closing.index + closing[0].length).trimStart();
}

/** Why this prompt must not be sent, or null. `delivery` argv has a size limit of the kernel's. */
export function promptProblem(text: string, delivery: 'argv' | 'stdin', template: readonly string[]): string | null {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0) return 'the prompt is empty';
  const firstCharacter = text[0] as string;
  if ('- \n\t\r'.includes(firstCharacter)) {
    return `the prompt begins with ${JSON.stringify(firstCharacter)}, which agent CLIs take for a flag or trim away`;
  }
  if (bytes < SMALLEST_PROMPT_BYTES) {
    const counted = text.startsWith(CONTEXT_FENCE) ? ' with the context in front of it' : '';
    return `the prompt has ${bytes} bytes${counted}; fewer than ${SMALLEST_PROMPT_BYTES} is taken for a mistake`;
  }
  if (delivery === 'argv') {
    const longest = Math.max(...template.map((token) => Buffer.byteLength(token.replaceAll('{prompt}', () => text))));
    if (longest > LARGEST_ARGUMENT_BYTES) {
      return `the prompt makes an argument of ${longest} bytes, over the kernel's limit of ${LARGEST_ARGUMENT_BYTES}; use prompt_delivery = "stdin"`;
    }
  }
  return null;
}
