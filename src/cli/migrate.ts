import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { locateProject } from '../config/locate.ts';
import { unifiedDiff } from '../config/migrate/diff.ts';
import { type Migration, type MigrationItem, migrateText } from '../config/migrate/migrate.ts';
import { replaceConfig } from '../config/migrate/write.ts';
import { readConfigFile } from '../config/read-file.ts';
import { openEvents } from '../events/writer.ts';
import { writtenStartProblems } from '../round/container-warnings.ts';
import { refuseInsideRound } from '../service/inside-round.ts';
import { systemClock } from '../util/clock.ts';
import { exitCode } from '../util/exit-codes.ts';
import { note, print, printJson } from './output.ts';
import type { GlobalOptions } from './verbs.ts';

interface MigrateOptions extends GlobalOptions {
  dryRun: boolean;
}

/** Exit 1 when something is left that a person has to do before this program accepts the file. */
export async function runMigrate({ config, json, dryRun }: MigrateOptions): Promise<number> {
  const text = readConfigFile(config, 'kept');
  const { logDir } = locateProject(config, true);
  if (!dryRun && logDir !== null) refuseInsideRound('migrate', logDir);

  const migration = migrateText(text, config, (loaded) => writtenStartProblems(loaded, process.env));
  const changed = migration.text !== text;
  const backup = changed && !dryRun ? replaceConfig(config, text, migration.text) : null;
  if (backup !== null && logDir !== null) tell(logDir, config, migration);

  const diff = unifiedDiff(text, migration.text, basename(config));
  const { applied, manual, advice } = migration;
  if (json) printJson({ path: config, changed, dry_run: dryRun, backup, applied, manual, advice, diff });
  else {
    if (dryRun && changed) print(diff);
    // A diff is for reading or for `patch`: then it stands alone on stdout.
    for (const line of linesOf(migration, config, dryRun, backup)) (dryRun ? note : print)(line);
  }
  return exitCode(manual.length === 0 ? 'ok' : 'failure');
}

/** Into the log of the project, if it has one yet: `migrate` is often the first thing that is run. */
function tell(logDir: string, path: string, { applied, manual }: Migration): void {
  if (!existsSync(logDir)) return;
  const names = (items: readonly MigrationItem[]) => items.map(({ id, key }) => (key === '' ? id : `${id}: ${key}`));
  openEvents(logDir, systemClock).emit('config_migrated', { applied: names(applied), manual: names(manual), path });
}

function linesOf({ applied, manual, advice }: Migration, path: string, dryRun: boolean, backup: string | null): string[] {
  const place = ({ line, key }: MigrationItem) => `${path}:${line}: ${key === '' ? '' : `${key}: `}`;
  const end =
    manual.length > 0
      ? `${manual.length} ${manual.length === 1 ? 'thing is' : 'things are'} left to do by hand; run this again afterwards`
      : applied.length === 0
        ? 'nothing to do: the file is accepted as it is'
        : dryRun
          ? 'this program would accept the file then; nothing was written'
          : 'this program accepts the file now; a running serve adopts it by `agent-runner reload`';
  return [
    ...applied.map(({ key, message }) => `${dryRun ? 'would do' : 'done'}: ${key === '' ? '' : `${key}: `}${message}`),
    ...advice.map((item) => `advice: ${place(item)}${item.message}; ${item.remedy}`),
    ...manual.map((item) => `BY HAND: ${place(item)}${item.message}; ${item.remedy}`),
    ...(backup === null ? [] : [`the file as it was is now ${backup}`]),
    end,
  ];
}
