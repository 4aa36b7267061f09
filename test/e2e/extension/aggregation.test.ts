import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExtensionServer, startExtensionServer } from '@coracle/cluster';
import { ownCertificates, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '../client-of.js';
import { hasKubectl, Kubectl } from '../kubectl/kubectl.js';
import { RunningCluster } from '../running-cluster.js';

const slow = 60_000;
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { colour: { type: 'string', description: 'What it looks like' } } },
    },
  },
};
const crd = {
  spec: {
    group: 'wardle.example.com',
    scope: 'Namespaced',
    names: { plural: 'flunders', singular: 'flunder', kind: 'Flunder' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
};
const flunder = (name: string, colour: string) => ({
  apiVersion: 'wardle.example.com/v1',
  kind: 'Flunder',
  metadata: { name },
  spec: { colour },
});

describe.skipIf(!hasKubectl)('an aggregated API server over TLS, with the real kubectl', () => {
  let cluster: RunningCluster;
  let extension: ExtensionServer;
  let kubectl: Kubectl;
  const folder = mkdtempSync(join(tmpdir(), 'coracle-aggregation-'));

  beforeAll(async () => {
    cluster = await RunningCluster.start({ flags: ['--nodes', '0', '--store', 'memory'] });
    const { client } = await clientOf(cluster.kubeconfig);
    const certificates = ownCertificates({ folder, clock: systemClock, dnsNames: ['api.wardle.svc'] });
    const certificate = await certificates.current();
    extension = await startExtensionServer({ crds: [crd], client, certificate, host: '127.0.0.1' });
    kubectl = await Kubectl.inNamespace(cluster, 'wardle');
    await kubectl.apply(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'api', namespace: 'wardle' },
        spec: { type: 'ExternalName', externalName: 'localhost' },
      },
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.wardle.example.com' },
        spec: {
          group: 'wardle.example.com',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          service: { namespace: 'wardle', name: 'api', port: extension.port },
          caBundle: btoa(await certificates.authority()),
        },
      },
    );
    await kubectl.succeed('wait', '--for=condition=Available', 'apiservice/v1.wardle.example.com', '--timeout=20s');
  }, slow);
  afterAll(async () => {
    await extension?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    'is found, described, written to, watched and read',
    async () => {
      expect(await kubectl.succeed('api-resources', '--api-group=wardle.example.com', '-o', 'name')).toBe(
        'flunders.wardle.example.com\n',
      );
      expect(await kubectl.apply(flunder('a', 'red'))).toBe('flunder.wardle.example.com/a created\n');
      expect(await kubectl.apply(flunder('a', 'green'))).toBe('flunder.wardle.example.com/a configured\n');
      expect(await kubectl.succeed('get', 'flunders', 'a', '-o', 'jsonpath={.spec.colour}')).toBe('green');
      expect(await kubectl.succeed('explain', 'flunders.spec.colour')).toContain('What it looks like');
      expect(await kubectl.succeed('get', 'flunders', '--watch', '--request-timeout=2s', '-o', 'name')).toContain(
        'flunder.wardle.example.com/a',
      );
    },
    slow,
  );

  test(
    'receives the user of the request, who needs the permission',
    async () => {
      expect(await kubectl.fail('get', 'flunders', '--as=jane')).toContain('flunders.wardle.example.com is forbidden');
      await kubectl.succeed('create', 'role', 'reader', '--verb=list', '--resource=flunders.wardle.example.com');
      await kubectl.succeed('create', 'rolebinding', 'jane', '--role=reader', '--user=jane');
      expect(await kubectl.succeed('get', 'flunders', '--as=jane', '-o', 'name')).toContain('/a');
    },
    slow,
  );
});
