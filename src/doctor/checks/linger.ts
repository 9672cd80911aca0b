import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck } from '../check.ts';

/** logind notes here, one file a user, whose services may run without a login. */
const LINGER = '/var/lib/systemd/linger';

export const linger: DoctorCheck = {
  name: 'linger',
  what: 'where systemd runs: user services go on after logout',
  run({ platform, env }) {
    if (platform !== 'linux' || !existsSync('/run/systemd/system')) return [{ status: 'info', summary: 'systemd does not run here' }];
    const name = userName(env);
    const bus = env.XDG_RUNTIME_DIR !== undefined && existsSync(join(env.XDG_RUNTIME_DIR, 'bus'));
    const lingers = name !== null && existsSync(join(LINGER, name));
    const facts = { user: name, linger: lingers, user_bus: bus };
    if (lingers)
      return [
        {
          status: 'ok',
          summary: `services of ${name} run without a login${bus ? '' : '; the user bus is not reachable from here'}`,
          facts,
        },
      ];
    return [
      {
        status: 'warning',
        summary: `services of ${name ?? 'this user'} end at logout`,
        remedy: `loginctl enable-linger ${name ?? ''}`.trim(),
        facts,
      },
    ];
  },
};

function userName(env: NodeJS.ProcessEnv): string | null {
  try {
    return userInfo().username;
  } catch {
    // A container's bare uid has no entry in the password file.
    return env.USER ?? null;
  }
}
