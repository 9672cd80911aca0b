import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from './command.ts';

/** Whether a command can be given a PID namespace of its own here, and how. */
export type PidNamespace =
  | {
      available: true;
      /** To be put in front of a command and its arguments; ends with `--`. */
      prefix: readonly string[];
      /** By a user namespace as well: set-uid programs such as sudo do not work in it. */
      asUser: boolean;
    }
  | { available: false; reason: string; remedy: string };

/** PATH of a service may leave out the folders of the system. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_EXIT = 42;

/**
 * The whole life of a namespace, tried once: that its first process may mount a /proc, and that unshare(1) outside does not die of the
 * signals that its group gets (older ones do, and take everything inside with them before it could end in order). `kill 0` from
 * inside reaches the group outside too.
 */
const PROBE = `trap "" TERM INT; kill -TERM 0; kill -INT 0; exit ${PROBE_EXIT}`;

let known: Promise<PidNamespace> | null = null;

/** Tried once per process: a kernel's mind does not change. */
export function pidNamespaces(): Promise<PidNamespace> {
  known ??= probe(process.getuid?.() ?? 0, process.env.PATH ?? '');
  return known;
}

async function probe(uid: number, path: string): Promise<PidNamespace> {
  if (process.platform !== 'linux') return none('PID namespaces are a thing of Linux', 'run on Linux');
  const unshare = [...path.split(delimiter), ...FOLDERS].map((folder) => join(folder || '.', 'unshare')).find(executable);
  if (unshare === undefined) return none('there is no unshare program', 'install util-linux 2.37 or newer');
  const asUser = uid !== 0;
  const prefix = namespacePrefix(unshare, asUser);
  const tried = await runCommand([...(prefix as [string, ...string[]]), '/bin/sh', '-c', PROBE], { timeoutMs: PROBE_TIMEOUT_MS });
  if (tried.code === PROBE_EXIT) return { available: true, prefix, asUser };
  if (tried.signal !== null)
    return none('this unshare dies of the signals that are meant for the agent', 'install util-linux 2.37 or newer');
  const words = tried.stderr.trim().split('\n')[0] || tried.spawnError || `exit ${tried.code}`;
  return none(`unshare does not work here: ${words}`, asUser ? USER_REMEDY : ROOT_REMEDY);
}

const USER_REMEDY =
  'allow user namespaces for this user (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; a default container allows none)';
const ROOT_REMEDY =
  'a container needs CAP_SYS_ADMIN and a seccomp profile that allows unshare; its own PID namespace does much of the same';

/**
 * `--kill-child`: whoever ends unshare ends the first process inside, and the kernel then ends everybody else there. An ordinary user
 * needs a user namespace for it, in which the ids stay the same.
 */
function namespacePrefix(unshare: string, asUser: boolean): readonly string[] {
  return [unshare, ...(asUser ? ['--user', '--map-current-user'] : []), '--fork', '--pid', '--kill-child', '--mount-proc', '--'];
}

function none(reason: string, remedy: string): PidNamespace {
  return { available: false, reason, remedy };
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
