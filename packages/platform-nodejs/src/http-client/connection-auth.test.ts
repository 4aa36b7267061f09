import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@coracle/base';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConnectionAuth } from './connection-auth.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-auth-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a certificate in a file is read again, because it is renewed there', async () => {
  const [cert, key] = [join(folder, 'cert'), join(folder, 'key')];
  const write = (text: string) => Promise.all([writeFile(cert, `${text} cert`), writeFile(key, `${text} key`)]);
  await write('first');
  const clock = new VirtualClock();
  const credentials = { clientCertificate: { file: cert }, clientKey: { file: key } };
  const auth = await ConnectionAuth.open({ server: 'https://a', namespace: 'default', credentials }, { clock });
  await write('second');
  expect((await auth.authorize()).identity).toEqual({ cert: 'first cert', key: 'first key' });
  await clock.advance(60_000);
  expect((await auth.authorize()).identity).toEqual({ cert: 'second cert', key: 'second key' });
});

test('a missing certificate is reported at once', async () => {
  const credentials = { clientCertificate: { file: join(folder, 'none') } };
  const opening = ConnectionAuth.open(
    { server: 'https://a', namespace: 'default', credentials },
    { clock: new VirtualClock() },
  );
  await expect(opening).rejects.toThrow('no such file');
});
