import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import * as coracle from 'coracle';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const { createSystemRandom, seededRandom, silentLogger: logger, startCluster, systemClock } = coracle;

/** What an example may use without importing it. */
interface Guide extends Record<string, unknown> {
  readonly cluster: coracle.Cluster;
}

const guides: Readonly<Record<string, () => Promise<Guide>>> = {
  'docs/client.md': async () => {
    const cluster = await startCluster({ listen: false });
    return { cluster, client: cluster.client, clock: systemClock, random: createSystemRandom(), logger };
  },
  'docs/controller-runtime.md': async () => {
    const cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
    return { cluster, client: cluster.client, clock: cluster.clock, random: seededRandom(1), logger };
  },
};

describe.each(Object.entries(guides))('%s', (path, prepare) => {
  let guide: Guide;
  beforeAll(async () => void (guide = await prepare()));
  afterAll(() => guide.cluster.stop());

  test.each(examplesIn(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')))('$title', async ({ code }) => {
    const expectedLines = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
    expect(expectedLines.length).toBeGreaterThan(0);
    expect(await run(code, guide)).toEqual(expectedLines);
  });
});

/** Each example that is marked to be run, with its heading. */
function examplesIn(text: string): { readonly title: string; readonly code: string }[] {
  const examples: { title: string; code: string }[] = [];
  let title = '';
  for (const [, heading, code] of text.matchAll(/^## (.+)$|^```ts run\n([\s\S]*?)^```$/gm)) {
    title = heading ?? title;
    if (code !== undefined) examples.push({ title, code });
  }
  return examples;
}

/** What the example prints. */
async function run(code: string, guide: Guide): Promise<string[]> {
  const { code: script } = await transform(withoutImports(code), { loader: 'ts', target: 'es2022' });
  const printed: string[] = [];
  const console = { log: (...values: unknown[]) => void printed.push(format(...values)) };
  const names = { ...guide, coracle, console };
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  // In a separate block, so that an example may declare names that it also gets.
  await new AsyncFunction(...Object.keys(names), `{${script}}`)(...Object.values(names));
  return printed;
}

/** The package is the one that this test has loaded, and types are not there when it runs. */
function withoutImports(code: string): string {
  return code
    .replace(/^import type .*\n/gm, '')
    .replace(/^import \{([^}]*)\} from 'coracle';$/gm, (_, names: string) => {
      const values = names.split(',').filter((name) => !name.trim().startsWith('type '));
      return `const {${values.join(',')}} = coracle;`;
    });
}
