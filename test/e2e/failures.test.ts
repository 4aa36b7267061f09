import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Outcome, run } from './run.js';
import { program, RunningCluster, temporaryDirectory } from './running-cluster.js';

const dataDir = temporaryDirectory();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

function up(...flags: string[]): Promise<Outcome> {
  return run(process.execPath, [program, 'up', '--nodes', '0', '--listen', '127.0.0.1:0', ...flags], {
    timeoutMs: 30_000,
  });
}

/** The error message and the hint. */
function complaint(problem: string, advice: string): object {
  return {
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^coracle: .*${problem}.*\\s.*${advice}`, 'm')),
  };
}

describe('coracle up reports the error with a hint and exits with 1', () => {
  test('when another one uses the data directory', async () => {
    await using cluster = await RunningCluster.start({ flags: ['--nodes', '0'] });
    expect(await up('--data-dir', cluster.dataDir)).toEqual(
      complaint(`${cluster.dataDir}/db is in use by process ${cluster.process.pid}`, 'choose another data directory'),
    );
  });

  test('when the port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      const outcome = await up('--store', 'memory', '--data-dir', dataDir, '--listen', `127.0.0.1:${port}`);
      expect(outcome).toEqual(complaint(`port ${port} of 127.0.0.1 is taken`, 'choose another port with --listen'));
    } finally {
      server.close();
    }
  });

  test('when the database is damaged', async () => {
    const damaged = join(dataDir, 'damaged');
    await using cluster = await RunningCluster.start({ dataDir: damaged, flags: ['--nodes', '0'] });
    expect(await cluster.stop()).toBe(0);
    const handle = openSync(join(damaged, 'db', 'data.mdb'), 'r+');
    writeSync(handle, Buffer.alloc(8192, 0xff), 0, 8192, 0);
    closeSync(handle);
    expect(await up('--data-dir', damaged)).toEqual(
      complaint('db cannot be opened: it is not a database', 'Restore the directory from a backup'),
    );
  });

  test('when the data directory cannot be created', async () => {
    const file = join(dataDir, 'a-file');
    await writeFile(file, '');
    expect(await up('--data-dir', join(file, 'below'))).toEqual(
      complaint('a part of the path is a file', 'choose a directory that you may write to'),
    );
  });

  test('when etcd cannot be reached', async () => {
    const etcd = ['--store', 'etcd', '--etcd-servers', 'http://127.0.0.1:1'];
    expect(await up('--data-dir', dataDir, ...etcd)).toEqual(
      complaint('etcd at http://127.0.0.1:1 does not answer', 'is etcd running'),
    );
  });

  test('when a flag is invalid', async () => {
    expect(await up('--nodes', 'many')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("'many' is invalid. it must be a whole number"),
    });
    expect(await up('--authorization-mode', 'Magic', '--data-dir', dataDir, '--store', 'memory')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no authorization mode "Magic"'),
    });
  });
});

test('a cluster shuts down gracefully with exit code 0, and continues after a restart', async () => {
  const savedDir = join(dataDir, 'kept');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await using cluster = await RunningCluster.start({ dataDir: savedDir, flags: ['--nodes', '1'] });
    const ended = once(cluster.process, 'exit');
    cluster.process.kill(signal);
    expect(await ended).toEqual([0, null]);
  }
});
