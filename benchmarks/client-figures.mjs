#!/usr/bin/env node
// Prints the figures of the client and the controller runtime and their goals, three runs each: each in a separate
// process, made of the same bundle that users get.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const runs = 3;
const folder = mkdtempSync(join(root, 'node_modules', '.figures-'));

try {
  const programs = ['import', 'informer', 'work-queue'];
  await build({
    entryPoints: programs.map((name) => join(root, `benchmarks/client-figures/${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
  const [imports, informers, queues] = programs.map((name) => times(() => measure(name)));
  const websites = times(() => [testMs('examples/website-operator')]);
  const podCounts = times(() => [testMs('examples/pod-count')]);
  row(
    'import of client and controller runtime',
    imports.map(({ ms, cpuMs }) => [ms, cpuMs]),
    'ms',
    60,
  );
  row(
    '  resident memory',
    imports.map(({ megabytes }) => [megabytes]),
    'MB',
    12,
  );
  row(
    '100,000 pods synced in one informer',
    informers.map(({ sync }) => [sync.ms, sync.cpuMs]),
    'ms',
    3_000,
  );
  row(
    '  resident memory that the informer adds',
    informers.map(({ addedMb }) => [addedMb]),
    'MB',
    250,
  );
  row(
    '  resident memory with server and store',
    informers.map(({ residentMb }) => [residentMb]),
    'MB',
  );
  row(
    'a patch, from the call to the handler, median',
    informers.map(({ median }) => [median]),
    'ms',
    1,
  );
  row(
    '  99th percentile',
    informers.map(({ p99 }) => [p99]),
    'ms',
  );
  row(
    'one million keys added and drained',
    queues.map(({ ms, cpuMs }) => [ms, cpuMs]),
    'ms',
    2_000,
  );
  row('all tests of the website operator', websites, 'ms', 1_000);
  row('all tests of PodCount', podCounts, 'ms');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function times(once) {
  return Array.from({ length: runs }, once);
}

function measure(name) {
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', join(folder, `${name}.mjs`)], { encoding: 'utf8' }));
}

/** What the tests of a folder take together, hooks included, without loading them. */
function testMs(path) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const output = execFileSync(process.execPath, [vitest, 'run', path, '--reporter=json'], {
    cwd: root,
    encoding: 'utf8',
  });
  const { testResults } = JSON.parse(output.slice(output.indexOf('{')));
  return testResults.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0);
}

/** A line of runs, each with its processor time where that is known. */
function row(name, measured, unit, goal) {
  const shown = (value) => value.toFixed(value < 10 ? 2 : 0);
  const column = (index) => measured.map((one) => shown(one[index])).join(' · ');
  const cpu = measured[0].length > 1 ? `, processor ${column(1)}` : '';
  const missed = measured.some((one) => Math.min(...one) >= goal);
  const verdict = goal === undefined ? '' : `  (under ${goal} ${unit}${missed ? ': MISSED' : ''})`;
  console.log(`${name.padEnd(46)} ${column(0)} ${unit}${cpu}${verdict}`);
}
