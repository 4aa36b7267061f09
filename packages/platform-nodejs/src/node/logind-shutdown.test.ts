import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { silentLogger } from '@coracle/base';
import { expect, test } from 'vitest';
import { followLogind, parseSignal } from './logind-shutdown.js';

const signal = (isStarting: boolean) =>
  JSON.stringify({ type: 'signal', member: 'PrepareForShutdown', payload: { type: 'b', data: [isStarting] } });

test.each([
  [signal(true), true],
  [signal(false), false],
  [JSON.stringify({ member: 'SessionNew', payload: { data: ['c1'] } }), undefined],
  ['no JSON', undefined],
])('%s', (line, says) => {
  expect(parseSignal(line)).toBe(says);
});

test('the machine waits for pods: the lock is released when they have ended, and taken again when the shutdown is cancelled', async () => {
  const done: string[] = [];
  const output = new PassThrough();
  const run = (command: string) =>
    Object.assign(new EventEmitter(), {
      stdout: command === 'busctl' ? output : null,
      kill: () => void done.push(`end of ${command}`),
      started: done.push(command),
    });
  const followed = followLogind({
    logger: silentLogger,
    seconds: 30,
    onShutdown: async () => void done.push('pods end'),
    onCancelled: () => void done.push('called off'),
    run,
  });
  const until = async (count: number) => {
    while (done.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  output.write(`${signal(true)}\n`);
  await until(4);
  expect(done.splice(0)).toEqual(['systemd-inhibit', 'busctl', 'pods end', 'end of systemd-inhibit']);
  output.write(`${signal(false)}\n`);
  await until(3);
  expect(done.splice(0)).toEqual(['end of systemd-inhibit', 'systemd-inhibit', 'called off']);
  followed[Symbol.dispose]();
  expect(done).toEqual(['end of busctl', 'end of systemd-inhibit']);
});
