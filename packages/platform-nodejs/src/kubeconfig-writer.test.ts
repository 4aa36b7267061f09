import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, disposable } from '@coracle/base';
import { createClient, parseKubeconfig } from '@coracle/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpTransport } from './http-transport.js';
import { loadConnection } from './kubeconfig-file.js';
import { saveOidcSettings } from './kubeconfig-writer.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-tokens-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const kubeconfig = (user: string, config: string) => `
apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: k, cluster: { server: SERVER, certificate-authority: ca.pem } }]
contexts: [{ name: c, context: { cluster: k, user: ${user} } }]
users:
- name: ${user}
  user: { auth-provider: { name: oidc, config: ${config} } }
- name: other
  user: { token: keep-me, client-key: beside.pem }
`;

/** A clock without delays. */
/** Gives other writers the time to finish. */
const brief: Clock = {
  now: () => 0,
  schedule: (_, task) => {
    const timer = setTimeout(task, 5);
    return disposable(() => clearTimeout(timer));
  },
};

const hasty: Clock = {
  now: () => 0,
  schedule: (_, task) => {
    queueMicrotask(task);
    return disposable(() => {});
  },
};

const settingsIn = async (path: string, user: string) =>
  parseKubeconfig(await readFile(path, 'utf8')).users?.find(({ name }) => name === user)?.user?.['auth-provider']
    ?.config;

describe('renewed tokens', () => {
  test('are written to the first file that names the user, and nothing else there changes', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await writeFile(first, kubeconfig('someone', '{ id-token: untouched }'));
    await writeFile(second, kubeconfig('me', '{ id-token: old }'));
    await chmod(second, 0o640);
    const before = parseKubeconfig(await readFile(second, 'utf8'));
    await saveOidcSettings([join(folder, 'missing'), first, second], { user: 'me', settings: { 'id-token': 'new' } });
    expect(await settingsIn(second, 'me')).toEqual({ 'id-token': 'new' });
    expect(await settingsIn(first, 'someone')).toEqual({ 'id-token': 'untouched' });
    const after = parseKubeconfig(await readFile(second, 'utf8'));
    expect({ ...after, users: after.users?.slice(1) }).toEqual({ ...before, users: before.users?.slice(1) });
    expect((await stat(second)).mode & 0o777).toBe(0o640);
    expect((await readdir(folder)).sort()).toEqual(['first', 'second']);
  });

  test('are written to the target of a symbolic link', async () => {
    await writeFile(join(folder, 'real'), kubeconfig('me', '{ id-token: old }'));
    await symlink('real', join(folder, 'link'));
    await saveOidcSettings([join(folder, 'link')], { user: 'me', settings: { 'id-token': 'new' } });
    expect(await settingsIn(join(folder, 'real'), 'me')).toEqual({ 'id-token': 'new' });
  });

  test('of concurrent writers are all written', async () => {
    const path = join(folder, 'config');
    const users = Array.from({ length: 5 }, (_, i) => `user-${i}`);
    const entries = users.map((name) => `- { name: ${name}, user: { auth-provider: { name: oidc, config: {} } } }`);
    await writeFile(path, `users:\n${entries.join('\n')}\n`);
    await Promise.all(
      users.map((user) => saveOidcSettings([path], { user, settings: { 'id-token': user }, clock: brief })),
    );
    for (const user of users) expect(await settingsIn(path, user)).toEqual({ 'id-token': user });
    expect(await readdir(folder)).toEqual(['config']);
  });

  test('that cannot be written are reported', async () => {
    const path = join(folder, 'config');
    await writeFile(path, kubeconfig('me', '{}'));
    await writeFile(`${path}.lock`, '');
    const saving = saveOidcSettings([path], { user: 'me', settings: {}, clock: hasty });
    await expect(saving).rejects.toThrow('could not persist new tokens: EEXIST');
  });
});

test('a transport that renews a token saves it for the next program', async () => {
  const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const fresh = jwt({ exp: 4_000_000_000 });
  const shown: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const { port } = server.address() as AddressInfo;
    if (request.url?.startsWith('/.well-known'))
      response.end(JSON.stringify({ token_endpoint: `http://127.0.0.1:${port}/token` }));
    else if (request.url === '/token') response.end(JSON.stringify({ id_token: fresh, refresh_token: 'second' }));
    else {
      shown.push(request.headers.authorization);
      response.end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = join(folder, 'config');
    const expired = `{ idp-issuer-url: "${url}", client-id: me, id-token: ${jwt({ exp: 1 })}, refresh-token: first }`;
    await writeFile(
      path,
      kubeconfig('me', expired).replace('SERVER', `"${url}"`).replace(', certificate-authority: ca.pem', ''),
    );
    const transport = await createHttpTransport({ connection: await loadConnection({ path }) });
    await createClient({ transport }).raw('GET', '/version');
    transport[Symbol.dispose]();
    expect(shown).toEqual([`Bearer ${fresh}`]);
    expect(await settingsIn(path, 'me')).toMatchObject({ 'id-token': fresh, 'refresh-token': 'second' });
  } finally {
    server.close();
  }
});
