import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWebhookCredentials } from './webhook-credentials.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-credentials-'));
  await writeFile(join(folder, 'client.crt'), 'certificate');
  await writeFile(
    join(folder, 'hooks.kubeconfig'),
    JSON.stringify({
      kind: 'Config',
      users: [
        { name: 'hook.shop.svc', user: { token: 'for the shop' } },
        { name: 'hook.shop.svc:8443', user: { 'client-certificate': 'client.crt', 'client-key-data': btoa('key') } },
        { name: '*.example.com', user: { token: 'for the company' } },
      ],
    }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

test('webhooks get the credentials of their host', async () => {
  const config = { ValidatingAdmissionWebhook: { kubeConfigFile: 'hooks.kubeconfig' } };
  const credentials = await readWebhookCredentials(config, join(folder, 'admission.yaml'));
  expect(
    ['hook.shop.svc:443', 'hook.shop.svc:8443', 'a.example.com:443', 'other.org'].map((host) => credentials?.(host)),
  ).toEqual([
    { token: 'for the shop' },
    { clientCertificate: 'certificate', clientKey: 'key' },
    { token: 'for the company' },
    undefined,
  ]);
});

test('without a kubeconfig none are sent', async () => {
  expect(await readWebhookCredentials({}, 'admission.yaml')).toBeUndefined();
});
