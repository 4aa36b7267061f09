import { accessSync, constants, writeFileSync } from 'node:fs';
import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../system-clock.js';
import { kernelLog } from './kernel-log.js';

const device = '/dev/kmsg';

function mayWrite(): boolean {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!mayWrite())('new messages of the kernel are read, those from before are not', async () => {
  const mark = `coracle test ${process.pid} ${Date.now()}`;
  writeFileSync(device, `${mark}: before`);
  const found: string[] = [];
  const log = kernelLog({ clock: systemClock, logger: silentLogger });
  const following = log.follow((message) => void (message.includes(mark) && found.push(message)));
  onTestFinished(() => following[Symbol.dispose]());
  const tell = () => {
    writeFileSync(device, `${mark}: after`);
    expect(found.length).toBeGreaterThan(0);
  };
  await vi.waitFor(tell, { timeout: 15_000, interval: 500 });
  expect(new Set(found)).toEqual(new Set([`${mark}: after`]));
});

test('a machine without readable messages is not an error', async () => {
  const logged: string[] = [];
  const logger = { ...silentLogger, info: (text: string) => void logged.push(text) };
  using _following = kernelLog({ clock: new VirtualClock(), logger, path: '/nowhere' }).follow(() => undefined);
  await vi.waitFor(() => expect(logged).toEqual(['failed to read the kernel log']));
});
