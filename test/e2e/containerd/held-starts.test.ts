import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Deferred } from '@coracle/base';
import { expect, test } from 'vitest';
import { serveStarts } from '../../../packages/platform-nodejs/src/cri/start-server.fixture.js';
import { bundle } from '../bundle.js';

test('a start goes on when its caller is killed', async () => {
  const begun = new Deferred<void>();
  const mayEnd = new Deferred<undefined>();
  await using server = await serveStarts(() => {
    begun.resolve();
    return mayEnd.promise;
  });
  const program = bundle(new URL('start-caller.ts', import.meta.url));
  const caller = spawn(process.execPath, [program, server.endpoint], { stdio: 'inherit' });
  await begun.promise;
  const ended = once(caller, 'exit');
  caller.kill('SIGKILL');
  await ended;
  // What would cancel the call is the end of the connection, which the server sees at once.
  await wait(500);
  expect(server.cancelled).toEqual([]);
  mayEnd.resolve(undefined);
}, 60_000);
