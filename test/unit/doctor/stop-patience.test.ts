import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { composeGraceS, unitStopS } from '../../../src/doctor/stop-patience.ts';
import { ROOT } from '../../support/sources.ts';

it.each([
  ['[Service]\nTimeoutStopSec=2010\n', 2010],
  ['[Service]\nTimeoutStopSec = 33min 30s\n', 2010],
  ['TimeoutStopSec=1h', 3600],
  ['TimeoutSec=90s', 90],
  ['TimeoutStopSec=infinity', Number.POSITIVE_INFINITY],
  ['TimeoutStopSec=10\nTimeoutStopSec=20', 20],
  ['#TimeoutStopSec=10', null],
  ['[Service]\n', null],
  ['TimeoutStopSec=soon', null],
])('a unit with %j grants %d s', (text, seconds) => {
  expect(unitStopS(text)).toBe(seconds);
});

const compose = (body: string) =>
  `version: "3.8"\nservices:\n  db:\n    image: postgres\n    stop_grace_period: 1s\n${body}\nvolumes:\n  x: {}\n`;

it.each([
  ['  runner:\n    command: ["agent-runner", "serve", "--park"]\n    stop_grace_period: 33m30s', 2010],
  ['  runner:\n    command: agent-runner serve\n    stop_grace_period: "600s" # enough', 600],
  ['  agent-runner:\n    build: .\n', null],
  ['  agent-runner:\n    stop_grace_period: 1h30m\n  other:\n    command: agent-runner serve\n    stop_grace_period: 90s', 90],
  ['  agent-runner:\n    stop_grace_period: soon', null],
  [
    '  agent:\n    image: "agent-runner-claude:local"\n    command: ["true"]\n  supervisor:\n    command: ["agent-runner", "serve", "--park"]\n    stop_grace_period: 2047s',
    2047,
  ],
  ['  agent-runner:\n    command: ["agent-runner", "peek"]', 'no concern'],
  ['  # agent-runner is elsewhere\n  web:\n    image: nginx', 'no concern'],
])('a compose file with %j grants %s', (body, seconds) => {
  expect(composeGraceS(compose(body))).toBe(seconds);
});

it('text that is no compose file is no concern', () => {
  for (const text of ['', 'services:', 'a: b\nagent-runner: x', '\0']) expect(composeGraceS(text)).toBe('no concern');
});

it.each([
  ['docker-compose.yml', 2027],
  ['docker-compose.exec-prefix.yml', 2047],
])('the shipped %s grants %d s', (name, seconds) => {
  expect(composeGraceS(readFileSync(join(ROOT, 'deploy', name), 'utf8'))).toBe(seconds);
});
