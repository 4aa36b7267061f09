import { type Clock, concatBytes } from '@coracle/base';
import { CriError, type ExecSyncResponse } from '@coracle/cri';
import { isFailing } from '../simulate-probe.js';
import type { SimulatedContainer } from '../simulated-container.js';
import { findCommand, isSimulated } from './commands.js';
import type { Around } from './simulated-process.js';

/** Their result depends on files, which a program that is not simulated would have written. */
const readsFiles = new Set(['cat', 'ls', 'test', '[', '[[', 'rm', 'tar', 'wc', 'head', 'tail', 'read']);

interface ExecSyncParts {
  readonly container: SimulatedContainer;
  readonly command: readonly string[];
  readonly timeoutSeconds: number;
  readonly around: Omit<Around, 'streams'>;
  readonly life: AbortSignal;
}

/**
 * The result of a probe or a hook that runs a command. One that is not simulated, or that reads files of a program that
 * is not, succeeds as soon as the container is ready. No annotation makes a container ready whose command says otherwise.
 */
export async function execSync(parts: ExecSyncParts): Promise<ExecSyncResponse> {
  const { container, command, around } = parts;
  const { config } = container;
  const hasFiles = isSimulated([...(config.command ?? []), ...(config.args ?? [])]);
  const run = isSimulated(command, (program) => hasFiles || !readsFiles.has(program)) && findCommand(command);
  const failing = isFailing(container, around.clock.now());
  if (!run) return { stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: failing ? 1 : 0 };
  const output: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  const late = new AbortController();
  const timer = timerOf(parts, around.clock, () => late.abort(new Error('the command timed out')));
  const exitCode = await run({
    ...around,
    streams: {
      stdin: (async function* () {})(),
      stdout: (chunk) => void output.stdout.push(chunk.slice()),
      stderr: (chunk) => void output.stderr.push(chunk.slice()),
      signal: AbortSignal.any([late.signal, parts.life]),
    },
  });
  timer?.[Symbol.dispose]();
  if (late.signal.aborted)
    throw new CriError('DeadlineExceeded', `failed to exec in container: timeout ${parts.timeoutSeconds}s exceeded`);
  return { stdout: concatBytes(output.stdout), stderr: concatBytes(output.stderr), exitCode };
}

function timerOf({ timeoutSeconds }: ExecSyncParts, clock: Clock, abort: () => void): Disposable | undefined {
  return timeoutSeconds > 0 ? clock.schedule(timeoutSeconds * 1_000, abort) : undefined;
}
