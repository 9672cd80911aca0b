import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../../src/config/load.ts';
import { startable } from '../../../src/hooks/programs.ts';
import { runCommand } from '../../../src/process/command.ts';
import { testFolder } from '../../support/folder.ts';
import { blocksOf } from '../../support/markdown.ts';
import { requirePart } from '../../support/parts.ts';

const TOLD = {
  event: 'needs_human',
  project: 'shop',
  sentence: 'Stopped for good: it\'s "over" — $(touch x) `y`.',
  command: 'agent-runner ack auth',
};
const MINIMUM =
  '[agent]\ncommand = ["x"]\nprompt_delivery = "stdin"\n[runtime]\nwork_dir = "."\nlog_dir = "/logs"\n[prompt]\nfile = "p.md"\n';
const BLOCKS = blocksOf('recipes/notify.md');

/** A home with every script of the recipe, by its name in the words above its block; and what runs a command of the recipe in it. */
function home(name = '', url = '') {
  const folder = testFolder();
  const notify = join(folder, '.agent-runner/notify');
  mkdirSync(notify, { recursive: true });
  if (name !== '') writeFileSync(join(notify, name), `url = "${url}"\n`, { mode: 0o600 });
  const text = readFileSync(new URL('../../../recipes/notify.md', import.meta.url), 'utf8');
  for (const [, name = '', script = ''] of text.matchAll(/`~\/\.agent-runner\/notify\/(\w+\.sh)`:\n\n```sh\n([\s\S]*?)```/g)) {
    writeFileSync(join(notify, name), script);
  }
  /** Each table of the recipe, as serve would start it. */
  const run = async (script: string) => {
    const block = BLOCKS.find(({ language, text }) => language === 'toml' && text.includes(script));
    const command = parseConfig(`${MINIMUM}${block?.text}`, '/srv/shop/agent-runner.toml').config.notify.command;
    const env = { HOME: folder, PATH: `${folder}:${process.env.PATH}` };
    vi.stubEnv('HOME', folder);
    const argv = startable(command ?? [], { workDir: folder, logDir: '/logs', path: env.PATH });
    vi.unstubAllEnvs();
    return runCommand(argv ?? ['none'], { cwd: folder, env, input: JSON.stringify(TOLD), timeoutMs: 10_000 });
  };
  return { folder, run, shim: (name: string) => shim(folder, name) };
}

/** A program of this name that writes down what it got. */
function shim(folder: string, name: string): () => string {
  writeFileSync(join(folder, name), `#!/bin/sh\n{ printf '%s\\n' "$@"; [ -t 0 ] || cat; } > "${folder}/${name}.got"\n`, { mode: 0o755 });
  return () => readFileSync(join(folder, `${name}.got`), 'utf8');
}

async function listen() {
  const got: { headers: IncomingHttpHeaders; url: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, url: request.url, body });
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { got, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('ntfy: title and sentence arrive, whatever characters are in them', async (context) => {
  requirePart(context, 'curl');
  const { got, address } = await listen();
  const result = await home('ntfy.curl', `${address}/topic`).run('ntfy.sh');
  expect(result, result.stderr).toMatchObject({ code: 0 });
  expect(got).toMatchObject([{ url: '/topic', body: `${TOLD.sentence}\n`, headers: { title: 'shop: needs_human' } }]);
});

it('Slack: one text with the command that answers', async (context) => {
  requirePart(context, 'curl');
  const { got, address } = await listen();
  const result = await home('slack.curl', `${address}/services/x`).run('slack.sh');
  expect(result, result.stderr).toMatchObject({ code: 0 });
  expect(JSON.parse(got[0]?.body ?? '')).toEqual({ text: `*shop* ${TOLD.sentence}\n\`agent-runner ack auth\`` });
  expect(got[0]?.headers['content-type']).toBe('application/json');
});

it('a service that is away is a failure, so that it is told as hook_failed', async (context) => {
  requirePart(context, 'curl');
  expect((await home('ntfy.curl', 'http://127.0.0.1:1/topic').run('ntfy.sh')).code).not.toBe(0);
});

it('desktop, mail and file', async () => {
  const at = home();
  const [send, mail] = [at.shim('notify-send'), at.shim('sendmail')];
  expect(await at.run('desktop.sh')).toMatchObject({ code: 0 });
  expect(send()).toContain(TOLD.sentence);
  expect(await at.run('mail.sh')).toMatchObject({ code: 0 });
  expect(mail()).toMatch(/^-t\nTo: me@example.org\nSubject: agent-runner\n/);
  expect(mail()).toContain(`\n\n${TOLD.sentence}\n`);
  expect(await at.run('told.jsonl')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(at.folder, '.agent-runner/told.jsonl'), 'utf8'))).toEqual(TOLD);
});
