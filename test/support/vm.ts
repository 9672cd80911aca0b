import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Runs a TypeScript file with all that it imports in a virtual machine (test/support/vm.sh) and gives back what it printed as JSON on its last
 * line. `addTo` puts further files into its root. Boot and Node take about five seconds without KVM. `requirePart(context, 'vm')` comes before.
 */
export async function runInVm(script: string, options: VmOptions = {}): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-runner-vm-'));
  try {
    return await boot(folder, script, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface VmOptions {
  memoryMb?: number;
  timeoutMs?: number;
  /** More of the kernel's command line; the last word wins there. */
  kernel?: string;
  addTo?: (root: string) => void;
}

async function boot(
  folder: string,
  script: string,
  { memoryMb = 768, timeoutMs = 60_000, kernel: words = '', addTo }: VmOptions,
): Promise<Record<string, unknown>> {
  const files = process.env.AGENT_RUNNER_TEST_VM ?? '';
  mkdirSync(join(folder, 'root/script'), { recursive: true });
  await build({
    entryPoints: [script],
    outfile: join(folder, 'root/script/main.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  addTo?.(join(folder, 'root'));
  // The kernel takes several archives one after the other.
  const own = execFileSync('sh', ['-c', 'chmod -R a+rX . && find . | busybox cpio -o -H newc 2>/dev/null'], {
    cwd: join(folder, 'root'),
    maxBuffer: 64 * 1024 * 1024,
  });
  const image = join(folder, 'initrd');
  writeFileSync(image, Buffer.concat([readFileSync(join(files, 'base.cpio.gz')), padding(join(files, 'base.cpio.gz')), own]));
  const output = await new Promise<string>((resolve) => {
    const args = ['-accel', 'tcg', '-cpu', 'max', '-m', String(memoryMb), '-nographic', '-no-reboot', '-nic', 'none'];
    const kernel = [
      '-kernel',
      join(files, 'vmlinuz'),
      '-initrd',
      image,
      '-append',
      'console=ttyS0 quiet panic=-1 cgroup_no_v1=all psi=1'.concat(' ', words),
    ];
    execFile(
      'qemu-system-x86_64',
      [...args, ...kernel],
      { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 },
      (_error, stdout) => resolve(stdout),
    );
  });
  const said = /VM-BEGIN\r?\n([\s\S]*?)VM-END 0/.exec(output)?.[1];
  const line = said
    ?.trim()
    .split('\n')
    .findLast((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`the machine said: ${output.slice(-3000)}`);
  return JSON.parse(line);
}

/** Archives begin at multiples of four bytes. */
function padding(path: string): Buffer {
  return Buffer.alloc((4 - (readFileSync(path).length % 4)) % 4);
}
