import { migrateText } from '../../config/migrate/migrate.ts';
import { hasPlace } from '../../config/problems.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { visible } from '../../util/visible.ts';
import { type DoctorCheck, type Finding, projectCheck } from '../check.ts';

export const configuration: DoctorCheck = {
  name: 'configuration',
  what: 'the file is accepted; every problem and every warning of it',
  run({ configPath, problems, project }) {
    const told = [
      ...problems.map((problem) => ({ status: 'failed' as const, problem })),
      ...(project?.loaded.warnings ?? []).map((problem) => ({ status: 'warning' as const, problem })),
    ];
    const findings = told.map(({ status, problem }): Finding => {
      const { line, column, key, message, remedy, code } = problem;
      const summary = hasPlace(problem) ? `line ${line}: ${key === '' ? '' : `${key}: `}${message}` : `${visible(configPath)}: ${message}`;
      return { status, summary, remedy, code, facts: { line, column, key } };
    });
    const migratable = problems.length > 0 ? fixable(configPath) : [];
    if (migratable.length > 0) {
      findings.push({
        status: 'info',
        summary: `'agent-runner migrate' can do ${migratable.length} thing(s) about it`,
        remedy: "See 'agent-runner migrate --dry-run'.",
        facts: { transforms: migratable },
      });
    }
    if (findings.some(({ status }) => status === 'failed')) return findings;
    return [{ status: 'ok', summary: `${configPath} (${project?.loaded.digest.slice(0, 19)})` }, ...findings];
  },
};

function fixable(path: string): string[] {
  try {
    return migrateText(readConfigFile(path, 'kept'), path).applied.map(({ id }) => id);
  } catch {
    // No TOML, or no file: told already.
    return [];
  }
}

export const inForce = projectCheck(
  'in_force',
  'the file is the configuration that a running `serve` uses, and a change during a round was looked at by a person',
  ({ inForce: file }) => {
    if (file === 'same') return [{ status: 'ok', summary: 'the file is what is in force' }];
    if (file === 'pending')
      return [{ status: 'info', summary: 'the file was changed and is not in force yet', remedy: "'agent-runner reload' adopts it." }];
    return [
      {
        status: 'warning',
        summary: 'the file was changed during a round, perhaps by the agent; the one before stays in force',
        remedy: "Read it; if it is right: 'agent-runner ack config'.",
      },
    ];
  },
);
