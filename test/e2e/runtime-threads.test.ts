import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RunningCluster } from './running-cluster.js';

interface Thread {
  readonly name: string;
  readonly niceness: number;
}

/** The threads of a process beside the main one, and the niceness of that. */
function threadsOf(pid: number): { readonly main: number; readonly others: readonly Thread[] } {
  const threads = readdirSync(`/proc/${pid}/task`).map((id) => {
    const text = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    const niceness = Number(text.slice(end + 2).split(' ')[16]);
    return { id: Number(id), name: text.slice(text.indexOf('(') + 1, end), niceness };
  });
  const main = threads.find(({ id }) => id === pid)?.niceness ?? 0;
  return { main, others: threads.filter(({ id }) => id !== pid) };
}

test('V8’s threads have a lower priority than the thread that serves, and all others its own', {
  timeout: 120_000,
}, async () => {
  // The store on disk uses the thread pool of libuv and its own threads.
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '0'] });
  const { main, others } = threadsOf(cluster.process.pid ?? 0);
  const lowered = others.filter(({ niceness }) => niceness === Math.min(main + 10, 19));
  const equal = others.filter(({ niceness }) => niceness === main);

  expect(lowered.length).toBeGreaterThanOrEqual(2);
  expect(equal.length).toBeGreaterThanOrEqual(4);
  expect(lowered.length + equal.length).toBe(others.length);
  // Node.js 22 and later name them.
  expect(lowered.map(({ name }) => name)).not.toContain('libuv-worker');
  expect(equal.map(({ name }) => name)).not.toContain('V8Worker');
});
