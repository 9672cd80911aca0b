import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { adapterOfIdentity } from '../../src/agents/registry.ts';
import { caseName, type Recording } from './replay.ts';

/** Every recording below a folder `<cli>/<case>.jsonl` with its `.meta`: exit code (124: ended by the recorder), seconds, command. */
export function samplesIn(folder: string): [name: string, recording: Recording][] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: cli }) =>
      readdirSync(join(folder, cli))
        .filter((file) => file.endsWith('.jsonl'))
        .map((file): [string, Recording] => [caseName(cli, file), sampleOf(folder, cli, file)]),
    );
}

function sampleOf(folder: string, cli: string, file: string): Recording {
  const stdout = join(folder, cli, file);
  const metaPath = `${stdout.slice(0, -'.jsonl'.length)}.meta`;
  const meta = existsSync(metaPath) ? readFileSync(metaPath, 'utf8') : '';
  const number = (pattern: RegExp, otherwise: number) => Number(pattern.exec(meta)?.[1] ?? otherwise);
  const name = /^cli=([a-z]+)/.exec(meta)?.[1] ?? /-(claude|codex)\d?\./.exec(file)?.[1] ?? cli.replace(/-.*/, '');
  const exit = number(/\brc=(\d+)/, 0);
  return {
    adapter: adapterOfIdentity(name),
    stdout,
    command: /^cmd: (.*)$/m.exec(meta)?.[1]?.split(' ') ?? [],
    exitCode: exit === 124 ? null : exit,
    end: exit === 124 ? 'timeout' : 'exit',
    seconds: number(/\belapsed_s=([\d.]+)/, 5),
  };
}
