import { type FSWatcher, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coracle/api';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import type { PodManifest, StaticPodSource } from '@coracle/kubelet';

export interface StaticPodFilesOptions {
  /** A directory of manifests, or one file. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Polling interval, in addition to file notifications. */
  readonly periodMs?: Millis;
}

const defaultPeriodMs: Millis = 20_000;

/** The pods of a folder; hidden files are left out. */
export function staticPodFiles({
  path,
  clock,
  logger,
  periodMs = defaultPeriodMs,
}: StaticPodFilesOptions): StaticPodSource {
  return {
    source: 'file',
    follow(tell) {
      let latest = 0;
      let watcher: FSWatcher | undefined;
      const read = () => {
        const number = ++latest;
        readManifests(path, logger).then(
          (manifests) => {
            if (number === latest) tell(manifests);
          },
          (error: unknown) => logger.error('The static pods could not be read', { path, error }),
        );
      };
      const timer = every(clock, periodMs, read);
      try {
        watcher = watch(path, read);
        watcher.on('error', () => undefined);
      } catch {
        // It does not exist yet: polls for it.
      }
      read();
      return {
        [Symbol.dispose]: () => {
          latest = Number.POSITIVE_INFINITY;
          timer[Symbol.dispose]();
          watcher?.close();
        },
      };
    },
  };
}

async function readManifests(path: string, logger: Logger): Promise<PodManifest[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return [];
  const files = found.isDirectory() ? await filesIn(path) : [path];
  const read = await Promise.all(files.map((file) => readManifest(file, logger)));
  return read.flat();
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  return names.sort().map((name) => join(folder, name));
}

/** A file that cannot be read is skipped: the others are still used. */
async function readManifest(file: string, logger: Logger): Promise<PodManifest[]> {
  try {
    const [document] = parseYamlDocuments(await readFile(file));
    const pod = document?.value as Pod | undefined;
    if (pod?.kind !== 'Pod') throw new Error(`expected a Pod, found ${JSON.stringify(pod?.kind)}`);
    return [{ pod, location: file }];
  } catch (error) {
    logger.error('A static pod could not be read', { file, error });
    return [];
  }
}
