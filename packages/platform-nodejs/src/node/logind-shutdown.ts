import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Logger } from '@coracle/base';

export interface LogindOptions {
  readonly logger: Logger;
  /** Shutdown time of pods in seconds; logind must allow this delay. */
  readonly seconds: number;
  /** The machine is shutting down; the shutdown is delayed until this resolves. */
  readonly onShutdown: () => Promise<void>;
  /** The shutdown was cancelled. */
  readonly onCancelled: () => void;
  /** `systemd-inhibit`, `busctl`. */
  readonly run?: (command: string, args: readonly string[], options: Pick<SpawnOptions, 'stdio'>) => StartedProgram;
}

/** The part of a process that is used. */
interface StartedProgram {
  readonly stdout: Readable | null;
  on(event: 'error', listener: (error: Error) => void): unknown;
  kill(): unknown;
}

/** Whether logind is running: it announces shutdowns, and has inhibitor locks. */
export function hasLogind(): boolean {
  const args = ['--system', 'get-property', ...manager, 'InhibitDelayMaxUSec'];
  return spawnSync('busctl', args, { timeout: 5_000 }).status === 0;
}

const manager = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];
const match = "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown'";

/** Delays the shutdown of the machine until pods have ended, with a delay inhibitor lock of logind. */
export function followLogind(options: LogindOptions): Disposable {
  const { logger, onShutdown, onCancelled, run = spawn } = options;
  let lock = takeLock(run, logger);
  const monitor = run('busctl', ['--system', 'monitor', '--json=short', `--match=${match}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  monitor.on('error', (error) => logger.error('failed to watch logind', { error }));
  if (monitor.stdout)
    createInterface({ input: monitor.stdout }).on('line', (line) => {
      const isStarting = parseSignal(line);
      if (isStarting === true) void onShutdown().finally(() => lock.kill());
      if (isStarting !== false) return;
      lock.kill();
      lock = takeLock(run, logger);
      onCancelled();
    });
  return {
    [Symbol.dispose]: () => {
      monitor.kill();
      lock.kill();
    },
  };
}

/** The lock is held while the process runs. */
function takeLock(run: NonNullable<LogindOptions['run']>, logger: Logger): StartedProgram {
  const why = 'Kubelet needs time to handle node shutdown';
  const flags = ['--what=shutdown', '--mode=delay', '--who=kubelet', `--why=${why}`, 'sleep', 'infinity'];
  const lock = run('systemd-inhibit', flags, { stdio: 'ignore' });
  lock.on('error', (error) => logger.error('logind granted no inhibitor lock', { error }));
  return lock;
}

/** Whether a line of the monitor announces a shutdown; `undefined` for other lines. */
export function parseSignal(line: string): boolean | undefined {
  try {
    const { member, payload } = JSON.parse(line) as { member?: string; payload?: { data?: readonly unknown[] } };
    const [isStarting] = payload?.data ?? [];
    return member === 'PrepareForShutdown' && typeof isStarting === 'boolean' ? isStarting : undefined;
  } catch {
    return undefined;
  }
}
