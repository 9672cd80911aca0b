import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
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
  /** Ends the turn that has begun. */
  end(turn: Turn): void;
  close(): void;
}

/** Opening a FIFO to read waits for a writer, so a blocked agent costs nothing; TERM ends it. */
const SCRIPT = `#!/bin/sh
cat >/dev/null
: >"$0.begun"
read -r go <"$0.go"
. "$0.turn"
`;

/** An executable `name` in a folder of its own beside the project. The name is what decides about the adapter. */
export function scriptedAgent(at: Project, name: string): ScriptedAgent {
  const folder = join(at.folder, 'bin');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  execFileSync('mkfifo', [`${path}.go`]);
  // Read and write: opened so a FIFO never blocks us and keeps what was written.
  const go = openSync(`${path}.go`, 'r+');
  return {
    path,
    async begun() {
      await until(`${name} has begun its turn`, () => existsSync(`${path}.begun`));
      rmSync(`${path}.begun`);
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
