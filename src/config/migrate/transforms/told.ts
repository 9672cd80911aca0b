import { type Transform, tellOf } from '../transform.ts';

/** What earlier versions let pass and this program refuses, and only a person can decide. Each tells of the file's own problems. */
export const TOLD: readonly Transform[] = [
  tellOf(
    'not-per-phase',
    '0.2.21',
    '`exec_prefix`, folders, `vcs`, `monitor` and `plugins` cannot be set for one phase.',
    ({ code, key }) => code === 'AR-CFG-013' && key.startsWith('phases.'),
  ),
  tellOf(
    'unknown-key',
    '0.2.12',
    'Unknown keys were once ignored, so a misspelt threshold silently was the default. They are refused; the nearest known key is named.',
    ({ code }) => code === 'AR-CFG-010',
  ),
  tellOf(
    'prompt-delivery',
    '0.2.13',
    'With `prompt_delivery = "argv"` an argument must contain `{prompt}`, with `"stdin"` none may.',
    ({ code }) => code === 'AR-CFG-019',
  ),
  tellOf(
    'two-prompts',
    '0.1.0',
    '`prompt.file` and `prompt.files` exclude each other.',
    ({ code, key }) => code === 'AR-CFG-016' && key === 'prompt.files',
  ),
  tellOf(
    'python-regex',
    'agent-runner',
    'Regular expressions are Python’s and are translated; one that uses what JavaScript has not needs other words.',
    ({ code }) => code === 'AR-CFG-017',
  ),
  tellOf(
    'path',
    '0.2.13',
    'Paths must be printable and not begin with somebody else’s home.',
    ({ code }) => code === 'AR-CFG-018' || code === 'AR-CFG-021',
  ),
  tellOf(
    'unbuilt-safety',
    'agent-runner',
    'A key that switches on a protection which this version does not have is refused rather than ignored.',
    ({ code }) => code === 'AR-CFG-014',
  ),
  tellOf(
    'value',
    '0.2.13',
    'Values of the wrong type or out of range, missing keys, tables written as something else, phases that are not in the list: whatever else this program refuses.',
    () => true,
  ),
];
