import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Cost {
  /** Of the processor: the machine may have other work. */
  readonly ms: number;
  readonly megabytes: number;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The cost of loading the packages in a separate process. The best of a few runs, because the machine is noisy. */
async function costOf(packages: readonly string[]): Promise<Cost> {
  const entry = packages
    .map((name, i) => `import * as m${i} from '${name}'; globalThis['${name}'] = m${i};`)
    .join('\n');
  const bundle = join(folder, 'bundle.mjs');
  await build({
    stdin: { contents: entry, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: bundle,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const script = join(folder, 'measure.mjs');
  await writeFile(
    script,
    `gc(); const before = process.memoryUsage().rss; const begun = process.cpuUsage();
     await import(${JSON.stringify(pathToFileURL(bundle).href)});
     const { user, system } = process.cpuUsage(begun); gc();
     console.log(JSON.stringify({ ms: (user + system) / 1000, megabytes: (process.memoryUsage().rss - before) / 1e6 }));`,
  );
  const runs = Array.from({ length: 5 }, () =>
    JSON.parse(execFileSync(process.execPath, ['--expose-gc', script], { encoding: 'utf8' })),
  ) as Cost[];
  return {
    ms: Math.min(...runs.map(({ ms }) => ms)),
    megabytes: Math.min(...runs.map(({ megabytes }) => megabytes)),
  };
}

describe('loading the client and the controller runtime', () => {
  test('takes less than 60 ms and 12 MB', async () => {
    const cost = await costOf(['@coracle/client', '@coracle/controller-runtime']);
    expect(cost.ms).toBeLessThan(60);
    expect(cost.megabytes).toBeLessThan(12);
  });
});
