import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Deferred } from '@coracle/base';
import { createAuthority, issueCertificate } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasKubectl, Kubectl } from '../kubectl/kubectl.js';
import { RunningCluster } from '../running-cluster.js';

const slow = 60_000;
const dayMs = 24 * 3_600_000;

/** `/wait` reports its requests here, and responds when it is released. */
const called = new Deferred<void>();
const released = new Deferred<void>();

/** Path → what a webhook does there. */
const behaviours: Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse, review: Review) => void>
> = {
  '/allow': (_request, response, review) => answer(response, review, { allowed: true }),
  '/deny': (_request, response, review) =>
    answer(response, review, {
      allowed: false,
      status: { message: 'not on my watch', code: 403, reason: 'Forbidden' },
    }),
  '/label': (_request, response, review) => {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }];
    answer(response, review, { allowed: true, patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) });
  },
  '/hang': () => {},
  '/wait': (_request, response, review) => {
    called.resolve();
    void released.promise.then(() => answer(response, review, { allowed: true }));
  },
  '/reset': (request) => request.socket.destroy(),
  '/garbage': (_request, response) => response.end('<html>'),
  '/redirect': (_request, response) => response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
  '/large': (_request, response) => response.end(JSON.stringify({ padding: 'x'.repeat(10 * 1024 * 1024) })),
};

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string; readonly kind: { readonly kind: string } };
}

function answer(response: ServerResponse, { apiVersion, kind, request }: Review, verdict: object): void {
  response.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...verdict } }));
}

describe.skipIf(!hasKubectl)('webhooks over TLS, with the real kubectl', () => {
  let cluster: RunningCluster;
  let hooks: Server;
  let caBundle: string;
  let port: number;

  beforeAll(async () => {
    const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
    const authority = await createAuthority('hooks-ca', validity);
    const request = { commonName: 'hooks', usage: 'server', ipAddresses: ['127.0.0.1'], ...validity } as const;
    const { certificate, key } = await issueCertificate(authority, request);
    caBundle = btoa(authority.certificate);
    hooks = createServer({ cert: certificate, key }, async (incoming, response) => {
      let text = '';
      for await (const chunk of incoming) text += chunk;
      behaviours[new URL(incoming.url ?? '', 'https://hooks').pathname]?.(incoming, response, JSON.parse(text));
    });
    await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
    port = (hooks.address() as AddressInfo).port;
    cluster = await RunningCluster.start({ flags: ['--nodes', '0', '--store', 'memory'] });
  }, slow);
  afterAll(async () => {
    hooks?.closeAllConnections();
    hooks?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const configuration = (kind: 'Mutating' | 'Validating', name: string, webhook: object) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `https://127.0.0.1:${port}/${name}`, caBundle },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 1,
        ...webhook,
      },
    ],
  });

  test(
    'change and reject writes, as soon as they are configured',
    async () => {
      const labelled = await Kubectl.inNamespace(cluster, 'label');
      await labelled.apply(configuration('Mutating', 'label', {}));
      await labelled.succeed('create', 'configmap', 'c');
      expect(await labelled.succeed('get', 'configmap', 'c', '-o', 'jsonpath={.metadata.labels.seen}')).toBe('yes');
      const denied = await Kubectl.inNamespace(cluster, 'deny');
      await denied.apply(configuration('Validating', 'deny', {}));
      expect(await denied.fail('create', 'configmap', 'c')).toContain(
        'admission webhook "deny.example.com" denied the request: not on my watch',
      );
    },
    slow,
  );

  test.each([
    ['hang', 'context deadline exceeded'],
    ['reset', 'connection reset by peer'],
    ['garbage', 'json parse error'],
    ['redirect', 'status code 302'],
    ['large', 'larger than'],
  ])(
    'one that does %s follows its failure policy within its timeout',
    async (name, why) => {
      const kubectl = await Kubectl.inNamespace(cluster, name);
      await kubectl.apply(configuration('Validating', name, { failurePolicy: 'Fail' }));
      const begunAt = Date.now();
      const refusal = await kubectl.fail('create', 'configmap', 'c');
      expect(refusal).toContain(`failed calling webhook "${name}.example.com": failed to call webhook:`);
      expect(refusal).toContain(why);
      await kubectl.apply(configuration('Validating', name, { failurePolicy: 'Ignore' }));
      await kubectl.succeed('create', 'configmap', 'c');
      expect(Date.now() - begunAt).toBeLessThan(20_000);
    },
    slow,
  );

  test(
    'other requests are served while one waits for its webhook',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'wait');
      await kubectl.apply(configuration('Validating', 'wait', { timeoutSeconds: 30 }));
      const order: string[] = [];
      const waiting = kubectl.succeed('create', 'configmap', 'waits').then(() => order.push('waited'));
      await called.promise;
      // The same resource is written in another namespace, and read in this one.
      const others = await Kubectl.inNamespace(cluster, 'others');
      await others.succeed('create', 'configmap', 'c');
      expect(await kubectl.succeed('get', 'configmaps', '-o', 'name')).not.toContain('waits');
      order.push('others');
      released.resolve();
      await waiting;
      expect(order).toEqual(['others', 'waited']);
      expect(await kubectl.succeed('get', 'configmaps', '-o', 'name')).toContain('configmap/waits');
    },
    slow,
  );

  test(
    'one with a certificate of an unknown CA is not called',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'allow');
      const url = `https://127.0.0.1:${port}/allow`;
      await kubectl.apply(configuration('Validating', 'allow', { clientConfig: { url } }));
      expect(await kubectl.fail('create', 'configmap', 'c')).toContain('x509: certificate signed by unknown authority');
    },
    slow,
  );
});
