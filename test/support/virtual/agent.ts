import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../project.ts';
import { until } from '../wait.ts';

/** What the agent does with its turn. */
export interface Turn {
  /** Lines that it prints. */
  says: readonly object[];
  exit?: number;
  /** It commits something first. */
  works?: boolean;
}

/** An agent that waits in the middle of its turn until the test says how it goes on. */
export interface ScriptedAgent {
  path: string;
  /** Resolves when a turn has begun. */
  begun(): Promise<void>;
  /** The pid of a turn that has begun since this was asked last; null when none has. */
  takeTurn(): number | null;
  /** Ends the turn that has begun. */
  end(turn: Turn): void;
  close(): void;
}

/** Opening a FIFO to read waits for a writer, so a blocked agent costs nothing; TERM ends it. */
const SCRIPT = `#!/bin/sh
cat >/dev/null
echo $$ >"$0.new"
mv "$0.new" "$0.begun"
read -r go <"$0.go"
. "$0.turn"
`;

/** An executable `name` in `folder` beside the project. The name is what decides about the adapter. */
export function scriptedAgent(at: Project, name: string, folderName = 'bin'): ScriptedAgent {
  const folder = join(at.folder, folderName);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  execFileSync('mkfifo', [`${path}.go`]);
  // Read and write: opened so a FIFO never blocks us and keeps what was written.
  const go = openSync(`${path}.go`, 'r+');
  const takeTurn = () => {
    if (!existsSync(`${path}.begun`)) return null;
    const pid = Number(readFileSync(`${path}.begun`, 'utf8'));
    rmSync(`${path}.begun`);
    return pid;
  };
  return {
    path,
    takeTurn,
    async begun() {
      await until(`${name} has begun its turn`, takeTurn);
    },
    end({ says, exit = 0, works = false }) {
      writeFileSync(`${path}.says`, says.map((record) => `${JSON.stringify(record)}\n`).join(''));
      const work = works ? ['date +%s%N >work.txt', 'git add work.txt', 'git commit -q -m work'] : [];
      writeFileSync(`${path}.turn`, `${[...work, 'cat "$0.says"', `exit ${exit}`].join('\n')}\n`);
      writeSync(go, 'go\n');
    },
    close: () => closeSync(go),
  };
}
