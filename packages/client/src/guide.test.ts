import { readFileSync } from 'node:fs';
import { format } from 'node:util';
import * as api from '@coracle/api';
import * as apimachinery from '@coracle/apimachinery';
import * as base from '@coracle/base';
import { type Cluster, startCluster } from '@coracle/cluster';
import { createSystemRandom, systemClock } from '@coracle/platform-nodejs';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as client from './index.js';

const guide = readFileSync(new URL('../../../docs/client.md', import.meta.url), 'utf8');
const modules: Record<string, object> = {
  '@coracle/api': api,
  '@coracle/apimachinery': apimachinery,
  '@coracle/base': base,
  '@coracle/client': client,
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

const random = createSystemRandom();
let cluster: Cluster;
beforeAll(async () => void (cluster = await startCluster({ listen: false })));
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
  const names = { modules, client: cluster.client, clock: systemClock, random, logger: base.silentLogger, console };
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
    (_, names, module) => `const {${names}} = modules['${module}'];`,
  );
}
