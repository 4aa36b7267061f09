import { refs } from '@coracle/api';
import { VirtualClock } from '@coracle/base';
import { createMemoryStore } from '@coracle/store';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import { identityOf } from './identity-lease.js';

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;

describe('SERVE-16 the published authentication configuration', () => {
  const requestHeader = {
    clientCa: pem('proxies'),
    allowedNames: ['front-proxy-client'],
    usernameHeaders: ['X-Remote-User'],
    uidHeaders: ['X-Remote-Uid'],
    groupHeaders: ['X-Remote-Group'],
    extraHeaderPrefixes: ['X-Remote-Extra-'],
  };

  test('is published in a config map', async () => {
    const { server } = await startTestServer();
    await server.publish({ clientCa: pem('clients'), requestHeader });
    const map = server.objects.get(refs.configMaps, 'kube-system', 'extension-apiserver-authentication');
    expect(map?.data).toEqual({
      'client-ca-file': pem('clients'),
      'requestheader-client-ca-file': pem('proxies'),
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    });
  });

  test('keeps CAs of other servers, is restored, and is not written repeatedly', async () => {
    const { server, clock } = await startTestServer();
    const { objects, writer } = server;
    const read = () => objects.get(refs.configMaps, 'kube-system', 'extension-apiserver-authentication');
    await server.publish({ clientCa: pem('one') });
    await server.publish({ clientCa: pem('two') });
    expect(read()?.data).toEqual({ 'client-ca-file': pem('one') + pem('two') });
    await clock.advance(60_000);
    const { resourceVersion } = read()?.metadata ?? {};
    await clock.advance(300_000);
    expect(read()?.metadata.resourceVersion).toBe(resourceVersion);
    await writer.delete(refs.configMaps, 'kube-system', 'extension-apiserver-authentication');
    await clock.advance(60_000);
    expect(read()?.data).toEqual({ 'client-ca-file': pem('two') });
  });
});

describe('START-22 servers of a shared store', () => {
  test('have an identity lease with a name made of their host name', async () => {
    expect(await identityOf('coracle-1')).toBe('apiserver-nyrgvgdsvlx7a6pfzbo57gglvm');
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const { server } = await startTestServer({ store, clock, sharesStore: true, hostname: 'coracle-1' });
    const name = await identityOf('coracle-1');
    const first = server.objects.get(refs.leases, 'kube-system', name);
    expect(first).toMatchObject({
      metadata: {
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'coracle-1' },
      },
      spec: { leaseDurationSeconds: 3600, holderIdentity: expect.stringMatching(`^${name}_[0-9a-f-]{36}$`) },
    });
    await clock.advance(10_000);
    expect(server.objects.get(refs.leases, 'kube-system', name)?.spec?.renewTime).not.toBe(first?.spec?.renewTime);
  });

  test('delete the lease of a server that has been stopped for an hour', async () => {
    const clock = new VirtualClock();
    const store = await createMemoryStore({ clock });
    const gone = await startTestServer({ store, clock, sharesStore: true, hostname: 'gone' });
    const { server } = await startTestServer({ store, clock, sharesStore: true, hostname: 'here' });
    await gone.server[Symbol.asyncDispose]();
    const names = () => server.objects.list(refs.leases, 'kube-system').map(({ metadata }) => metadata.name);
    const expected = [await identityOf('gone'), await identityOf('here')];
    expect(names().sort()).toEqual(expected.sort());
    await clock.advance(2 * 3_600_000 + 60_000);
    expect(names()).toEqual([await identityOf('here')]);
  });
});
