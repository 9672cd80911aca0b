import { type Finding, projectCheck } from '../check.ts';

const STATUS = { ok: 'ok', warning: 'warning', error: 'failed' } as const;

export const containers = projectCheck(
  'container',
  'each `exec_prefix`: which engine, whether it answers, and what is wrong with its options',
  async (project, { host, env }) => {
    if (project.profiles.every(({ profile }) => profile.agent.exec_prefix.length === 0))
      return [{ status: 'info', summary: 'no exec_prefix is used' }];
    const found = await host.containers(project, env);
    return found.map(
      ({ of, severity, code, message, remedy, facts }): Finding => ({
        status: STATUS[severity],
        of,
        summary: message,
        ...(remedy === undefined ? {} : { remedy }),
        ...(code === undefined ? {} : { code }),
        ...(facts === undefined ? {} : { facts }),
      }),
    );
  },
);
