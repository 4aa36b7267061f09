import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface MountRequest {
  readonly source: string;
  readonly target: string;
  /** `tmpfs`, `nfs`; for bind mounts none. */
  readonly fsType?: string;
  readonly options?: readonly string[];
}

/** Mounts as the `mount` command does. Rejects with what the command said. */
export async function mount({ source, target, fsType, options = [] }: MountRequest): Promise<void> {
  const flags = [...(fsType ? ['-t', fsType] : []), ...(options.length > 0 ? ['-o', options.join(',')] : [])];
  await command('mount', [...flags, source, target]);
}

/** Mounts a directory or a file a second time. A path such as `/proc/PID/fd/3` is taken as it is. */
export async function bindMount(source: string, target: string, readOnly = false): Promise<void> {
  await command('mount', ['--no-canonicalize', '-o', 'bind', source, target]);
  if (readOnly) await command('mount', ['--no-canonicalize', '-o', 'bind,remount,ro', source, target]);
}

export async function unmount(target: string): Promise<void> {
  await command('umount', ['--no-canonicalize', target]);
}

const timeoutMs = 120_000;

async function command(name: string, args: readonly string[]): Promise<void> {
  try {
    await run(name, [...args], { timeout: timeoutMs });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new Error(`${name} failed: ${stderr.trim() || message}\narguments: ${args.join(' ')}`, { cause: error });
  }
}
