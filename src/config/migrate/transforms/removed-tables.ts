import { isTable } from '../../tables.ts';
import { commentOut } from '../operations.ts';
import type { Transform } from '../transform.ts';

export const goalTable: Transform = {
  id: 'goal',
  since: '0.3.12',
  kind: 'fix',
  doc: '`[goal]` and its checks become comments: there are no goal checks here. In 0.3 they never decided anything, they only took notes; the ledger stays a prompt file.',
  find: ({ document }) =>
    'goal' in document
      ? [
          {
            key: ['goal'],
            message: 'there are no goal checks here; now a comment',
            remedy: 'Remove the table.',
            rewrite: commentOut(['goal']),
          },
        ]
      : [],
};

export const pluginSettings: Transform = {
  id: 'plugin-settings',
  since: '0.3.9',
  kind: 'tell',
  doc: 'Keys of `[plugins]` beside `disable` belonged to Python plugins, which do not load. They are accepted and have no effect.',
  find: ({ document: { plugins } }) =>
    isTable(plugins)
      ? Object.keys(plugins)
          .filter((name) => name !== 'disable')
          .map((name) => ({
            key: ['plugins', name],
            message: 'has no effect: Python plugins do not load',
            remedy: 'Remove it when you like.',
            advice: true,
          }))
      : [],
};
