import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle } from '../e2e/bundle.js';
import { run } from '../e2e/run.js';

const document = readFileSync(new URL('../../docs/testing-your-controller.md', import.meta.url), 'utf8');

test('the blocks of docs/testing-your-controller.md run, one after the other, and their assertions hold', async () => {
  const blocks = [...document.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
  const claims = blocks.join('\n').split('console.assert').length - 1;
  expect(claims).toBe(5);
  const source = join(dirname(fileURLToPath(import.meta.url)), 'testing-your-controller.generated.ts');
  const check =
    'console.assert = (holds) => { if (!holds) throw new Error("a claim does not hold"); console.log("holds"); };';
  writeFileSync(source, `${check}\n${blocks.join('\n')}`);
  const program = bundle(new URL('testing-your-controller.generated.ts', import.meta.url));
  rmSync(source);
  try {
    const { code, stdout, stderr } = await run(process.execPath, [program], { timeoutMs: 30_000 });
    expect({ code, stderr, held: stdout.split('\n').length - 1 }).toEqual({ code: 0, stderr: '', held: claims });
  } finally {
    rmSync(program);
  }
}, 40_000);
