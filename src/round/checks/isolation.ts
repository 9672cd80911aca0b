import { basename } from 'node:path';
import type { Profile } from '../../config/profile.ts';
import { detectContainer } from '../../container/detect.ts';
import { canMeasureMemory } from '../../process/memory.ts';
import { pidNamespaces } from '../../process/pid-namespace.ts';
import { agentArgv } from '../argv.ts';
import { type Check, type CheckResult, pass } from './check.ts';

const USER_CHANGERS = new Set(['sudo', 'su', 'doas', 'runuser', 'gosu']);

/** `runtime.pid_namespace`: that this host gives them, and that the agent's prefix can work in one. Asked of the kernel once per process. */
export const pidNamespaceWorks: Check = async ({ loaded, profiles }) => {
  if (!loaded.config.runtime.pid_namespace) return [];
  const name = 'pid_namespace';
  const namespaces = await pidNamespaces();
  if (!namespaces.available) {
    const reason = `runtime.pid_namespace = true, and ${namespaces.reason}`;
    return [{ name, ok: false, permanent: true, code: 'AR-CHK-012', reason, remedy: `${namespaces.remedy}; or remove the key` }];
  }
  return profiles.map(({ label, profile }): CheckResult => {
    const engine = engineOf(profile, loaded.config.runtime.work_dir);
    if (engine !== undefined) {
      return refused(`${name}${label}`, `"${engine}" runs the agent in a container, which has a PID namespace of its own`);
    }
    const changer = namespaces.asUser ? userChanger(profile) : undefined;
    if (changer !== undefined) {
      return refused(
        `${name}${label}`,
        `"${changer}" cannot change the user inside the user namespace that this needs for an ordinary user`,
      );
    }
    return pass(`${name}${label}`);
  });
};

/** `limits.round_memory_max_mb`: that what it bounds can be bounded, or at least measured, from here. */
export const memoryCanBeBounded: Check = ({ loaded, profiles }) => {
  if (loaded.config.limits.round_memory_max_mb === null) return [];
  const name = 'round_memory';
  const failed = (label: string, reason: string, remedy: string): CheckResult => {
    return { name: `${name}${label}`, ok: false, permanent: true, code: 'AR-CHK-014', reason, remedy };
  };
  if (!canMeasureMemory()) return [failed('', 'limits.round_memory_max_mb needs /proc, which is not here', 'remove the key')];
  return profiles.map(({ label, profile }) => {
    const engine = engineOf(profile, loaded.config.runtime.work_dir);
    return engine === undefined
      ? pass(`${name}${label}`)
      : failed(
          label,
          `limits.round_memory_max_mb bounds the client "${engine}" and not its container`,
          'remove the key and give the engine its own limit: `--memory 4g --memory-swap 4g` after `run`',
        );
  });
};

function refused(name: string, reason: string): CheckResult {
  return { name, ok: false, permanent: true, code: 'AR-CHK-013', reason, remedy: 'remove runtime.pid_namespace, or the prefix' };
}

function engineOf({ agent }: Profile, workDir: string): string | undefined {
  return detectContainer(agentArgv(agent, '', workDir))?.runtime;
}

/** The first word of the prefix, or the program itself, that changes the user. Arguments of the agent are its own affair. */
function userChanger({ agent }: Profile): string | undefined {
  return [...agent.exec_prefix, agent.command[0] ?? ''].map((word) => basename(word)).find((word) => USER_CHANGERS.has(word));
}
