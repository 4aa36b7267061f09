import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import * as api from '@coracle/api';
import * as apimachinery from '@coracle/apimachinery';
import * as base from '@coracle/base';
import { type Cluster, startCluster } from '@coracle/cluster';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as runtime from './index.js';

const guide = readFileSync(new URL('../../../docs/controller-runtime.md', import.meta.url), 'utf8');
const modules: Record<string, object> = {
  '@coracle/api': api,
  '@coracle/apimachinery': apimachinery,
  '@coracle/base': base,
  '@coracle/controller-runtime': runtime,
};

/** Each example that is marked to be run, under the heading that it stands below. */
function examplesIn(text: string): { readonly title: string; readonly code: string }[] {
  const examples: { title: string; code: string }[] = [];
  let title = '';
  for (const [, heading, code] of text.matchAll(/^## (.+)$|^```ts run\n([\s\S]*?)^```$/gm)) {
    title = heading ?? title;
    if (code !== undefined) examples.push({ title, code });
  }
  return examples;
}

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
});
afterAll(() => cluster.stop());

describe('the guide', () => {
  test.each(examplesIn(guide))('$title', async ({ code }) => {
    const printed = await run(code);
    const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line);
    expect(promised.length).toBeGreaterThan(0);
    expect(printed).toEqual(promised);
  });
});

async function run(code: string): Promise<string[]> {
  const { code: script } = await transform(withoutImports(code), { loader: 'ts', target: 'es2022' });
  const printed: string[] = [];
  const console = { log: (...values: unknown[]) => void printed.push(format(...values)) };
  const { client, clock } = cluster;
  const names = { modules, cluster, client, clock, random: base.seededRandom(1), logger: base.silentLogger, console };
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  // In a block of its own, so that an example may have a name of its own for what it is given.
  await new AsyncFunction(...Object.keys(names), `{${script}}`)(...Object.values(names));
  return printed;
}

/** The modules are those that this test has loaded. */
function withoutImports(code: string): string {
  return code.replace(
    /^import \{([^}]*)\} from '([^']+)';$/gm,
    (_, names: string, module) =>
      `const {${names
        .split(',')
        .filter((name) => !name.trim().startsWith('type '))
        .join(',')}} = modules['${module}'];`,
  );
}
