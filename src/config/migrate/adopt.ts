import type { ConfigProblems } from '../problems.ts';
import { applyEdits } from './edits.ts';
import { meaningOf } from './rewrite.ts';
import { readSyntax, type Syntax } from './syntax.ts';
import type { Finding, View } from './transform.ts';

/**
 * Tries one rewrite. It is adopted when the edited text parses, means exactly what the rewrite says it should, has every comment that was
 * there, and is refused for no more reasons than before. Otherwise the answer says why not, as the end of "..., but ...".
 */
export function adopt(view: View, { rewrite }: Finding, look: (text: string) => View): { view: View } | { refused: string } {
  const syntax = readSyntax(view.text);
  const edits = syntax === null ? null : (rewrite?.edits(syntax) ?? null);
  if (syntax === null || edits === null) return { refused: 'the way it is written does not allow a safe edit' };
  const after = tryLook(applyEdits(view.text, edits), look);
  if (after === null || meaningOf(after.document) !== meaningOf(rewrite?.expected(view.document)))
    return { refused: 'the edited file would not say what was meant' };
  if (!keepsComments(syntax, after.text)) return { refused: 'a comment would be lost' };
  if (after.problems.length > view.problems.length) {
    const fresh = after.problems.find(({ key }) => !view.problems.some((problem) => problem.key === key)) ?? after.problems[0];
    return { refused: `then ${fresh?.key} would not be accepted: ${fresh?.message}` };
  }
  return { view: after };
}

function tryLook(text: string, look: (text: string) => View): View | null {
  try {
    return look(text);
  } catch (error) {
    if ((error as ConfigProblems).name === 'ConfigProblems') return null;
    throw error;
  }
}

/** What became a comment may hold an older one: the longest look for their place first, and each takes the closest one. */
function keepsComments({ text, comments }: Syntax, edited: string): boolean {
  const after = readSyntax(edited);
  if (after === null) return false;
  const byLength = (a: string, b: string) => a.length - b.length;
  const left = after.comments.map(([start, end]) => edited.slice(start, end)).sort(byLength);
  const wanted = comments.map(([start, end]) => text.slice(start, end)).sort(byLength);
  return wanted.reverse().every((comment) => {
    const at = left.findIndex((candidate) => candidate.includes(comment));
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}
