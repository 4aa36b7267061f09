import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ToolRun {
  /** Its standard input. */
  readonly input?: string;
  /** The path of the network namespace that it runs in; that of this process unless stated. */
  readonly netns?: string | undefined;
}

/** System tools may not be in `PATH`. */
export const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin:/usr/bin:/bin`;

/** Runs a system tool and returns its output. Fails with its error output. */
export async function runTool(command: string, args: readonly string[], run: ToolRun = {}): Promise<string> {
  const { input = '', netns } = run;
  const words = netns === undefined ? [command, ...args] : ['nsenter', `--net=${netns}`, command, ...args];
  const [file = '', ...rest] = words;
  const child = spawn(file, rest, { env: { PATH: searchPath } });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new ToolError(command, printed.stderr || printed.stdout);
  return printed.stdout;
}

/** A tool failed. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(command: string, output: string) {
    super(`${command}: ${output.trim().slice(0, 2_000)}`);
  }
}

/** Whether a tool can be started at all. */
export async function hasTool(command: string, args: readonly string[]): Promise<boolean> {
  return runTool(command, args).then(
    () => true,
    () => false,
  );
}
