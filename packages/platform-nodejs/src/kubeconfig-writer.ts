import { open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { formatYaml } from '@coracle/apimachinery';
import { type Clock, sleep } from '@coracle/base';
import { type Kubeconfig, type OidcSettings, parseKubeconfig } from '@coracle/client';
import { systemClock } from './system-clock.js';

/** Maximum wait for the lock: others hold it for the time of one write. */
const lockTries = 100;
const lockPauseMs = 50;

export interface RenewedSettings {
  /** The kubeconfig's name for them. */
  readonly user: string;
  readonly settings: OidcSettings;
  /** Interval in which the lock is retried. */
  readonly clock?: Clock;
}

/**
 * Writes new settings of a user's `auth-provider` into the first of `paths` that has the user. The file is replaced
 * atomically, under the lock that kubectl uses too.
 */
export async function saveOidcSettings(paths: readonly string[], renewed: RenewedSettings): Promise<void> {
  for (const path of paths) {
    const file = await realpath(path).catch(() => undefined);
    if (file === undefined || !names(parseKubeconfig(await readFile(file, 'utf8')), renewed.user)) continue;
    try {
      return await locked(file, renewed);
    } catch (error) {
      throw new Error(`could not persist new tokens: ${(error as Error).message}`, { cause: error });
    }
  }
}

function names(config: Kubeconfig, user: string): boolean {
  return config.users?.some(({ name }) => name === user) === true;
}

/** The rest of the file may have changed meanwhile: it is read again under the lock. */
async function replace(file: string, renewed: RenewedSettings): Promise<void> {
  const config = parseKubeconfig(await readFile(file, 'utf8'));
  const { mode } = await stat(file);
  const draft = `${file}.${process.pid}.new`;
  try {
    await writeFile(draft, formatYaml(withSettings(config, renewed)), { mode });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function withSettings(config: Kubeconfig, { user, settings }: RenewedSettings): Kubeconfig {
  const users = config.users?.map((entry) => {
    const provider = entry.user?.['auth-provider'];
    if (entry.name !== user || !provider) return entry;
    return { ...entry, user: { ...entry.user, 'auth-provider': { ...provider, config: { ...settings } } } };
  });
  return { ...config, ...(users && { users }) };
}

/** The lock is a file that only one process can create. */
async function locked(file: string, renewed: RenewedSettings): Promise<void> {
  const lock = `${file}.lock`;
  await create(lock, renewed.clock ?? systemClock);
  try {
    await replace(file, renewed);
  } finally {
    await rm(lock, { force: true });
  }
}

async function create(lock: string, clock: Clock): Promise<void> {
  for (let tries = lockTries; ; tries--) {
    try {
      return await (await open(lock, 'wx', 0)).close();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === 0) throw error;
      await sleep(clock, lockPauseMs);
    }
  }
}
