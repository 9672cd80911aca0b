import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REDACTED, redact, redactHead, redactor, redactTail } from '../../../src/util/redact.ts';
import { secretValues } from '../../../src/util/secret-values.ts';

const SK = 'sk-ant-api03-abcDEF123456789012345';
const GH = `ghp_${'a1B2'.repeat(9)}`;
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln';
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nzzzz\n-----END RSA PRIVATE KEY-----';

describe('redact takes out', () => {
  it.each([
    ['an Anthropic or OpenAI key', `key is ${SK}.`, `key is ${REDACTED}.`],
    ['one behind the \\n of a JSON string', `{"text":"line\\n${SK}"}`, `{"text":"line\\n${REDACTED}"}`],
    ['a GitHub token', `push with ${GH} now`, `push with ${REDACTED} now`],
    ['a fine-grained GitHub token', `github_pat_${'a1'.repeat(20)}`, REDACTED],
    ['an AWS key id', 'id AKIAIOSFODNN7EXAMPLE used', `id ${REDACTED} used`],
    ['a Slack token', `xoxb-${'12345'}-abcdef1234`, REDACTED],
    ['a JWT', `cookie was ${JWT}`, `cookie was ${REDACTED}`],
    ['a bearer token', 'sent Bearer abcdefgh12345', `sent Bearer ${REDACTED}`],
    ['an authorization header', 'Authorization: Basic dXNlcjpwYXNz', `Authorization: ${REDACTED}`],
    ['a variable of a shell', 'ANTHROPIC_API_KEY=plainvalue', `ANTHROPIC_API_KEY=${REDACTED}`],
    ['any long value of a ..._KEY variable', 'STRIPE_KEY=abcdefghij0123456789', `STRIPE_KEY=${REDACTED}`],
    ['a JSON field', '{"password": "hunter2", "user": "joe"}', `{"password": "${REDACTED}", "user": "joe"}`],
    ['a field of JSON within JSON', '"{\\"clientSecret\\":\\"zz1\\",\\"x\\":1}"', `"{\\"clientSecret\\":\\"${REDACTED}\\",\\"x\\":1}"`],
    ['a quoted value with spaces', 'password = "correct horse battery"', `password = "${REDACTED}"`],
    ['a YAML value', 'db_password: hunter2', `db_password: ${REDACTED}`],
    ['a query parameter', '/cb?access_token=abc&x=1', `/cb?access_token=${REDACTED}&x=1`],
    ['a flag and its value', 'tool --api-key abc123 --x', `tool --api-key ${REDACTED} --x`],
    ['the password of a URL', 'postgres://joe:p@ss@db:5432/x', `postgres://joe:${REDACTED}@db:5432/x`],
    ['the token of a URL', `https://${'a1b2c3d4'.repeat(3)}@github.com/a/b`, `https://${REDACTED}@github.com/a/b`],
    ['a private key', `before\n${PEM}\nafter`, `before\n${REDACTED}\nafter`],
    ['a private key in a JSON string', `{"k":"${PEM.replaceAll('\n', '\\n')}"}`, `{"k":"${REDACTED}"}`],
    ['a private key that was cut off', `x ${PEM.slice(0, 50)}`, `x ${REDACTED}`],
    ['the rest of a private key', `${PEM.slice(40)} y`, `${REDACTED} y`],
  ])('%s', (_what, text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe('scar 69, reference case 27: benign text is unchanged', () => {
  it.each([
    '"usage":{"input_tokens":12345,"max_tokens":4096}',
    'max_token=4096 token_type=bearer tokens: 17',
    'the password: is required, see docs',
    'const token = getToken();',
    'token expired: 401 Unauthorized',
    'primary_key=users sort_key: name',
    `TOKEN=$TOKEN PASSWORD=\${DB_PASSWORD} secrets: inherit`,
    'commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
    `sha256:${'0a1b2c3d'.repeat(8)}`,
    'https://github.com/a/b ssh://git@github.com/a mail joe@example.com',
    'task-management-something-really-long-1 risk-assessment-2024-final',
    'author: Jane Doe, Bearer authentication is required',
    '/home/u/.agent-runner/p/logs/rounds/R1-20261129T173508.log',
    '{"ts":"2026-11-29T17:35:08.123Z","event":"agent_exit","exit_cause":"signal:SIGKILL"}',
    '550e8400-e29b-41d4-a716-446655440000',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '--token is required',
    '',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

const secrets = fc.constantFrom(SK, GH, JWT, 'password=hunter22', 'Bearer abcdefgh12345', PEM);
const prose = fc.stringMatching(/^[a-z .,\n]{0,400}$/);

describe('redacted first and cut second', () => {
  it('reference case 27: a secret that straddles the cut does not leak, at either end', () => {
    fc.assert(
      fc.property(prose, secrets, prose, fc.integer({ min: 1, max: 300 }), (before, secret, after, max) => {
        const text = `${before} ${secret} ${after}`;
        const cut = [redactHead(text, max), redactTail(text, max)];
        for (const part of cut) {
          expect(part.length).toBeLessThanOrEqual(max);
          // Six characters in a row of the secret part would be a leak; "password=" and "Bearer " are none.
          const core = secret.replace(/^(password=|Bearer )/, '').replace(/-----[A-Z ]+-----/g, '');
          for (let at = 0; at + 6 <= core.length; at++) expect(part).not.toContain(core.slice(at, at + 6));
        }
      }),
    );
  });

  it('a secret at the edge of the window that is looked at does not leak either', () => {
    for (const shift of [0, 5, 20, 30]) {
      const text = `${'word '.repeat(13_200)}${'x'.repeat(shift)} ${SK} ${'word '.repeat(13_200)}`;
      expect(redactHead(text, 70_000)).not.toContain('abcDEF');
      expect(redactTail(text, 70_000)).not.toContain('abcDEF');
    }
  });

  it('never leaves half of a surrogate pair', () => {
    expect(redactHead('ab😀', 3)).toBe('ab');
    expect(redactTail('😀ab', 3)).toBe('ab');
    expect(redactHead('a😀', 3)).toBe('a😀');
  });

  it('what is redacted stays as it is when it is redacted again', () => {
    const words = fc.array(fc.oneof(secrets, prose, fc.string(), fc.constantFrom('token=', '"key": "', 'https://a:b@c', '\\n')));
    fc.assert(
      fc.property(words, (parts) => {
        const once = redact(parts.join(' '));
        expect(redact(once)).toBe(once);
      }),
    );
  });
});

describe('known values', () => {
  const env = {
    MY_PASSWORD: 'tr0ub4"dor',
    CI: '1',
    NODE_ENV: 'development',
    HOME: '/home/agent/with/a/long/path/1',
    ODD: 'zz99aa88bb77cc66dd55',
    SHORT_TOKEN: 'abc',
    KEY_FILE_SECRET: `${'a'.repeat(30)}\n${'b'.repeat(30)}`,
    GONE: undefined,
  };

  it('are those with a secret name and those that look like a token', () => {
    expect(secretValues(env)).toEqual([env.MY_PASSWORD, env.ODD, env.KEY_FILE_SECRET, 'a'.repeat(30), 'b'.repeat(30)]);
  });

  it('are taken out raw, as JSON and percent-encoded; the longer of two first', () => {
    const hide = redactor([...secretValues(env), 'zz99aa88bb77cc66dd55-and-more']);
    expect(hide('raw tr0ub4"dor')).toBe(`raw ${REDACTED}`);
    expect(hide('json tr0ub4\\"dor')).toBe(`json ${REDACTED}`);
    expect(hide('url tr0ub4%22dor')).toBe(`url ${REDACTED}`);
    expect(hide('both zz99aa88bb77cc66dd55-and-more')).toBe(`both ${REDACTED}`);
    expect(hide('CI=1 development')).toBe('CI=1 development');
  });
});

// What takes quadratic time needs hours for the first and minutes for the second of these: the test's own time-out is the check.
describe('time is linear', () => {
  const seeds = [
    ...[
      'a',
      'sk-',
      'sk_live_',
      'eyJa.',
      '://',
      '://a:',
      'token="',
      "token='",
      'token=\\"',
      '\\n',
      '\\',
      'a=',
      'a.',
      'api_key: ',
      '--token ',
    ],
    ...[
      'x:y@',
      '-----BEGIN ',
      '-----BEGIN PRIVATE KEY-----',
      '-----END PRIVATE KEY-----',
      'bearer ',
      'password = "\\',
      'A_KEY=',
      ' ',
      '\n',
    ],
  ];

  it('for 1 MB of repeated beginnings', { timeout: 60_000 }, () => {
    for (const seed of seeds) {
      const text = seed.repeat(Math.ceil(1_000_000 / seed.length));
      expect(redact(text).length).toBeGreaterThan(0);
    }
  });

  it('for mixtures of them', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...seeds), { minLength: 1, maxLength: 4 }), (parts) => {
        const unit = parts.join('');
        expect(redact(unit.repeat(Math.ceil(100_000 / unit.length))).length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('names that merely look like a secret', () => {
  it('the folder of a shell is none, wherever it is named', () => {
    const env = {
      PWD: '/home/me/shop',
      OLDPWD: '/home/me',
      HOME: '/home/me',
      MY_PASSWORD: '/home/me',
      TMPDIR: '/var/scratch/me',
      DB_PWD: 'hunter2-hunter2',
    };
    expect(secretValues(env)).toEqual(['hunter2-hunter2']);
    const command = '`agent-runner ack budget --config /home/me/shop/agent-runner.toml`';
    expect(redactor(secretValues(env))(command)).toBe(command);
    expect(redact('PWD=/home/me/shop OLDPWD=/home/me {"pwd":"/home/me/shop"}')).toBe(
      'PWD=/home/me/shop OLDPWD=/home/me {"pwd":"/home/me/shop"}',
    );
  });

  it('a password of that name stays one', () => {
    expect(redact('Uid=sa;Pwd=hunter2;')).not.toContain('hunter2');
    expect(redact('DB_PWD=/hunter2')).not.toContain('hunter2');
    expect(secretValues({ PWD: 'hunter2-hunter2' })).toEqual(['hunter2-hunter2']);
  });
});
