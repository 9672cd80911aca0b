#!/usr/bin/env node
// A model server on loopback for trying out real agent CLIs without a network: speaks Anthropic messages, OpenAI chat and responses,
// and Gemini. Asked with a shell tool on offer it calls that tool once; shown the tool's result, or offered no tool, it ends the turn.
//
//   PORT             where it listens (8099); it says `ready` when it does
//   MOCK_COMMAND     what the tool is asked to run
//   MOCK_BEHAVIOUR   ok; 400 (billing), 401, 429, 500, 529; limit (a 429 with a stated end); 429x2 (twice, then ok); drop (the stream is
//                    cut); hang (no answer ever)
//   MOCK_CONTROL     a JSON file { behaviour, command } that is read anew for each question and wins over the two above
//   MOCK_LOG         gets one line of JSON for each question
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { dialectOf, nextTurn, SPEAK } from './dialects.mjs';
import { refusal } from './refusals.mjs';

const { PORT = '8099', MOCK_CONTROL = '', MOCK_LOG = '' } = process.env;
const COMMAND = process.env.MOCK_COMMAND ?? 'echo hello-from-agent >> hello.txt && git add -A && git commit -qm "one more hello"';
/** Of a stream that is cut, so many pieces come: its head, and some words. */
const DROP_AFTER = { anthropic: 3, chat: 1, responses: 2, gemini: 1 };

let questions = 0;

function instructions() {
  const given = MOCK_CONTROL !== '' && existsSync(MOCK_CONTROL) ? JSON.parse(readFileSync(MOCK_CONTROL, 'utf8')) : {};
  return { behaviour: given.behaviour ?? process.env.MOCK_BEHAVIOUR ?? 'ok', command: given.command ?? COMMAND };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync }[request.headers['content-encoding']];
  try {
    return JSON.parse((unpack ? unpack(bytes) : bytes).toString() || '{}');
  } catch {
    return {};
  }
}

function json(response, value, status = 200, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

createServer(async (request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  const body = await bodyOf(request);
  const dialect = request.method === 'POST' ? dialectOf(path) : null;
  if (/count_?tokens/i.test(path)) return void json(response, { input_tokens: 10, totalTokens: 10 });
  if (dialect === null) return void json(response, { object: 'list', data: [] });
  questions += 1;
  const { behaviour, command } = instructions();
  const now = behaviour === '429x2' ? (questions <= 2 ? '429' : 'ok') : behaviour;
  if (MOCK_LOG !== '') appendFileSync(MOCK_LOG, `${JSON.stringify({ path, behaviour: now, auth: authOf(request.headers) })}\n`);
  if (now === 'hang') return;
  const refused = refusal(dialect, now);
  if (refused) return void json(response, refused.body, refused.status, refused.headers);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const model = body.model ?? 'mock';
  if (now !== 'drop') return void response.end([...SPEAK[dialect](nextTurn(body, command), model)].join(''));
  const pieces = [...SPEAK[dialect]({ text: 'I begin with' }, model)].slice(0, DROP_AFTER[dialect]);
  response.write(pieces.join('').replace('"finishReason":"STOP",', ''), () => setTimeout(() => response.destroy(), 100));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));

/** The headers that carry a key: a dummy, as everything here. */
function authOf(headers) {
  const names = ['authorization', 'x-api-key', 'x-goog-api-key'].filter((name) => name in headers);
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}
