import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { program } from './running-cluster.js';

test.each([
  ['coracle --help', ['--help']],
  ['coracle up --help', ['up', '--help']],
  ['coracle version', ['version']],
  ['coracle kubectl --help', ['kubectl', '--help']],
])('%s exits silently when the reader of its output is gone', { timeout: 60_000 }, async (_name, args) => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, errors]).toEqual([141, '']);
});
