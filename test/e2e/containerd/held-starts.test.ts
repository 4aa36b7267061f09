import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Deferred } from '@coracle/base';
import { expect, test } from 'vitest';
import { serveStarts } from '../../../packages/platform-nodejs/src/cri/start-server.fixture.js';
import { bundle } from '../bundle.js';

test.each([
  ['is killed', 'SIGKILL'],
  ['stops its client, which does not keep it alive', 'SIGTERM'],
] as const)(
  'a start goes on when its caller %s',
  async (_, signal) => {
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
    caller.kill(signal);
    await ended;
    // What would cancel the call is the end of the connection, which the server sees at once.
    await wait(500);
    expect(server.cancelled).toEqual([]);
    mayEnd.resolve(undefined);
  },
  60_000,
);
