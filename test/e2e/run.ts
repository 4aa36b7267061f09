import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Its standard input. */
  readonly input?: string;
  /** When it is killed, if it has not exited by itself. */
  readonly timeoutMs?: number;
}

/** Whether a program can be started at all. */
export function isInstalled(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/** Runs a program to its end. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = spawn(command, args, {
    env: { ...process.env, ...options.env },
    ...(options.timeoutMs && { timeout: options.timeoutMs }),
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  // A program may end before it has read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
