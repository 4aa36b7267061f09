import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox, whyNoContainerd } from './containerd.js';
import { CoracleOnContainerd } from './coracle-on-containerd.js';
import { hostFolder, objects, storageCases } from './storage-cases.js';
import { storageObjects } from './storage-objects.js';

const reason = whyNoContainerd();

/** What the same three volumes are made of: one whose object is deleted, one whose keys change, one that comes later. */
const optionalSources = (['configMap', 'secret'] as const).flatMap((kind) => {
  const isSecret = kind === 'secret';
  const same = {
    resource: isSecret ? ['secret', 'generic'] : ['configmap'],
    encode: (text: string) => (isSecret ? Buffer.from(text).toString('base64') : text),
  };
  const named = (name: string) => ({ [isSecret ? 'secretName' : 'name']: name, optional: true });
  return [
    {
      ...same,
      name: isSecret ? 'Secrets' : 'ConfigMap',
      slug: kind.toLowerCase(),
      volume: (name: string): object => ({ [kind]: named(name) }),
    },
    {
      ...same,
      name: `Projected ${kind}`,
      slug: `projected-${kind.toLowerCase()}`,
      volume: (name: string): object => ({ projected: { sources: [{ [kind]: { name, optional: true } }] } }),
    },
  ];
});

describe.skipIf(reason !== undefined)(
  `storage on containerd${reason ? ` (${reason})` : ''}`,
  { timeout: 120_000 },
  () => {
    let cluster: CoracleOnContainerd;

    beforeAll(async () => {
      // As on machines that hide root's files from others: what pods read must not depend on it.
      cluster = await CoracleOnContainerd.start({ umask: '077' });
      const items = [...objects, ...storageCases.map(({ pod }) => pod)];
      await cluster.must(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
      const done = ['--for=jsonpath={.status.phase}=Succeeded', '-l', 'suite=storage'];
      await cluster.kubectl(['wait', 'pod', ...done, '--timeout=180s'], { timeoutMs: 200_000 });
    }, 240_000);

    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
      rmSync(hostFolder, { recursive: true, force: true });
    }, 120_000);

    test.each(storageCases)('[sig-storage] $name', async ({ pod, prints }) => {
      const { stdout, stderr } = await cluster.kubectl(['logs', pod.metadata.name ?? '']);
      expect(stdout.trim() || stderr).toMatch(prints);
    });

    test.each(storageObjects)('[sig-storage] $kind should run through its lifecycle', async (object) => {
      const input = JSON.stringify(object);
      const name = `${object.kind}/${object.metadata.name}`;
      await cluster.must(['create', '-f', '-'], { input });
      await cluster.must(['patch', name, '--type=merge', '-p', '{"metadata":{"labels":{"patched":"yes"}}}']);
      const listed = await cluster.must(['get', object.kind, '-l', 'patched=yes', '-o', 'name']);
      expect(listed).toContain(object.metadata.name);
      // Whatever protects it from deletion is not the test's concern.
      await cluster.must(['patch', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
      await cluster.must(['delete', object.kind, '-l', 'patched=yes', '--timeout=30s']);
      expect((await cluster.kubectl(['get', name])).stderr).toContain('NotFound');
    });

    test.each(['configmap', 'secret generic'])('[sig-storage] an immutable %s stays as it is', async (kind) => {
      const [resource = '', ...type] = kind.split(' ');
      await cluster.must(['create', resource, ...type, 'fixed', '--from-literal=a=1']);
      await cluster.must(['patch', resource, 'fixed', '-p', '{"immutable":true}']);
      for (const patch of ['{"data":{"a":"Mg=="}}', '{"immutable":false}']) {
        const refused = await cluster.kubectl(['patch', resource, 'fixed', '-p', patch]);
        expect(refused.stderr).toContain('field is immutable when `immutable` is set');
      }
      await cluster.must(['delete', resource, 'fixed']);
    });

    test('nothing of deleted pods is left', async () => {
      await cluster.must(['delete', 'pod', '-l', 'suite=storage', '--timeout=110s']);
      expect(mountsBelow(cluster.dataDir)).toEqual([]);
      expect(readdirSync(join(cluster.dataDir, 'kubelet/pods'))).toEqual([]);
    }, 120_000);

    const watcher = (name: string, volumes: object[]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { colour: 'red' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: 'c', image: busybox, command: ['sleep', '3600'], volumeMounts: [{ name: 'v', mountPath: '/v' }] },
        ],
        volumes,
      },
    });

    const read = async (pod: string, path: string) => (await cluster.kubectl(['exec', pod, '--', 'cat', path])).stdout;

    /** Polls until it exists. */
    async function becomes(look: () => Promise<string>, expected: string): Promise<void> {
      let seen = '';
      for (let attempt = 0; attempt < 240; attempt++) {
        seen = await look();
        if (seen === expected) return;
        await wait(250);
      }
      expect(seen).toBe(expected);
    }

    test('[sig-storage] ConfigMap, Secrets and Projected updates and optional updates should be reflected in volume', async () => {
      const sources = [
        { configMap: { name: 'moving' } },
        { secret: { name: 'late', optional: true } },
        { downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
      ];
      await cluster.must(['create', 'configmap', 'moving', '--from-literal=a=1']);
      const pod = watcher('watcher', [{ name: 'v', projected: { sources } }]);
      await cluster.must(['apply', '-f', '-'], { input: JSON.stringify(pod) });
      await cluster.must(['wait', 'pod/watcher', '--for=condition=Ready', '--timeout=60s']);
      expect(await read('watcher', '/v/a')).toBe('1');
      await cluster.must(['patch', 'configmap', 'moving', '-p', '{"data":{"a":"2"}}']);
      await becomes(() => read('watcher', '/v/a'), '2');
      await cluster.must(['create', 'secret', 'generic', 'late', '--from-literal=b=3']);
      await becomes(() => read('watcher', '/v/b'), '3');
      await cluster.must(['delete', 'secret', 'late']);
      await becomes(() => read('watcher', '/v/b'), '');
      await cluster.must(['label', 'pod', 'watcher', 'colour=blue', '--overwrite']);
      await becomes(() => read('watcher', '/v/labels'), 'colour="blue"');
    }, 240_000);

    test.each(optionalSources)(
      '[sig-storage] $name optional updates should be reflected in volume',
      async (source) => {
        const { resource, slug, volume, encode } = source;
        const make = (step: string) =>
          cluster.must(['create', ...resource, `${slug}-${step}`, '--from-literal=data-1=value-1']);
        await make('delete');
        await make('update');
        const steps = ['delete', 'update', 'create'];
        const pod = watcher(
          slug,
          steps.map((step) => ({ name: step, ...volume(`${slug}-${step}`) })),
        );
        const volumeMounts = steps.map((step) => ({ name: step, mountPath: `/v/${step}`, readOnly: true }));
        const containers = pod.spec.containers.map((container) => ({ ...container, volumeMounts }));
        await cluster.must(['apply', '-f', '-'], {
          input: JSON.stringify({ ...pod, spec: { ...pod.spec, containers } }),
        });
        await cluster.must(['wait', `pod/${slug}`, '--for=condition=Ready', '--timeout=60s']);
        const files = () => cluster.must(['exec', slug, '--', 'sh', '-c', 'cd /v; grep -r . */data-* || true']);
        expect((await files()).split('\n').sort().join(' ').trim()).toBe('delete/data-1:value-1 update/data-1:value-1');
        const [kind = ''] = resource;
        await cluster.must(['delete', kind, `${slug}-delete`]);
        const other = JSON.stringify({ data: { 'data-1': null, 'data-3': encode('value-3') } });
        await cluster.must(['patch', kind, `${slug}-update`, '--type=merge', '-p', other]);
        await make('create');
        await becomes(
          async () => (await files()).split('\n').sort().join(' ').trim(),
          'create/data-1:value-1 update/data-3:value-3',
        );
        await cluster.must(['delete', 'pod', slug]);
      },
      120_000,
    );

    test('volumes outlive a SIGKILL, and those of pods that were deleted meanwhile are unmounted', async () => {
      await cluster.must(['apply', '-f', '-'], {
        input: JSON.stringify(watcher('second', [{ name: 'v', emptyDir: { medium: 'Memory' } }])),
      });
      await cluster.must(['wait', 'pod/second', '--for=condition=Ready', '--timeout=60s']);
      await cluster.must(['exec', 'second', '--', 'sh', '-c', 'echo kept > /v/f']);
      await cluster.kill('SIGKILL');
      await cluster.launch();
      await becomes(() => read('second', '/v/f'), 'kept\n');
      await cluster.must(['delete', 'pod', 'second', 'watcher', '--timeout=60s']);
      await becomes(async () => mountsBelow(cluster.dataDir).join(), '');
      await becomes(async () => readdirSync(join(cluster.dataDir, 'kubelet/pods')).join(), '');
    }, 240_000);
  },
);

function mountsBelow(folder: string): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/kubelet/`));
}
