import type { ToolCall } from './adapter.ts';
import { type JsonRecord, objectOf, textOf } from './json-line.ts';

/** The names under which tools take what they work on, the most telling first; from the predecessor, with the names of other CLIs. */
const KEYS = ['file_path', 'path', 'filePath', 'absolute_path', 'pattern', 'command', 'cmd', 'query', 'url'];
/** Repetition is told by so much of it (the predecessor's). */
const LONGEST = 100;

/** A tool call as it is compared with others. `input`: the tool's arguments, as a record or as JSON text. */
export function toolCall(tool: unknown, input: unknown): ToolCall {
  return { tool: (textOf(tool) ?? 'unknown').slice(0, LONGEST), target: targetOf(argumentsOf(input)) };
}

function targetOf(input: JsonRecord | null): string | null {
  for (const key of KEYS) {
    const value = input?.[key];
    const text = Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(' ') : textOf(value);
    if (text !== null && text !== '') return text.slice(0, LONGEST);
  }
  return null;
}

function argumentsOf(input: unknown): JsonRecord | null {
  if (typeof input !== 'string') return objectOf(input);
  try {
    return objectOf(JSON.parse(input));
  } catch {
    return null;
  }
}
