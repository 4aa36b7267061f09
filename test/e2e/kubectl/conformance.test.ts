import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, Service } from '@coracle/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { hasKubectl, Kubectl, ownKubectl, realKubectl } from './kubectl.js';

const timeout = 180_000;

const programs = [
  { name: 'the real kubectl', program: realKubectl, isThere: hasKubectl },
  { name: 'our kubectl', program: ownKubectl, isThere: true },
];

const labels = { app: 'agnhost', role: 'primary' };
const controller = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'agnhost-primary', labels },
  spec: {
    replicas: 1,
    selector: labels,
    template: {
      metadata: { labels },
      spec: {
        containers: [{ name: 'agnhost-primary', image: 'agnhost:2', ports: [{ name: 'server', containerPort: 6379 }] }],
      },
    },
  },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'agnhost-primary', labels },
  spec: { ports: [{ port: 6379, targetPort: 'server' }], selector: labels },
};

function deployment(image: string, replicas?: number): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'httpd-deployment' },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: { app: 'httpd' } },
      template: {
        metadata: { labels: { app: 'httpd' } },
        spec: { containers: [{ name: 'httpd', image, ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}

/** Each list is one line, in this order: its first text must be in a line, and the others in the same. */
function checkLines(text: string, expected: readonly (readonly string[])[]): void {
  const lines = text.split('\n');
  let at = 0;
  for (const [first = '', ...others] of expected) {
    while (at < lines.length && !lines[at]?.includes(first)) at++;
    expect(lines[at], `${first} in ${text}`).toBeDefined();
    for (const one of others) expect(lines[at]).toContain(one);
  }
}

/** sig-cli's end-to-end tests of kubectl, with the same commands. */
for (const { name, program, isThere } of programs)
  describe.skipIf(!isThere)(`sig-cli's tests with ${name}`, () => {
    let cluster: RunningCluster;
    beforeAll(async () => {
      cluster = await RunningCluster.start({ flags: ['--nodes', '2', '--runtime', 'simulated'] });
    }, timeout);
    afterAll(() => cluster?.[Symbol.asyncDispose](), timeout);
    // A retried test gets a new namespace.
    let attempts = 0;
    const inNamespace = (name: string) => Kubectl.inNamespace(cluster, `${name}-${++attempts}`, program);

    test('Update Demo: a replication controller is created, scaled down and up, and stopped', { timeout }, async () => {
      const kubectl = await inNamespace('update-demo');
      await kubectl.succeedWith(JSON.stringify(controller), 'create', '-f', '-');
      for (const replicas of [1, 0, 2]) {
        await kubectl.succeed('scale', 'rc', 'agnhost-primary', `--replicas=${replicas}`, '--timeout=5m');
        await kubectl.succeed(
          'wait',
          `--for=jsonpath={.status.replicas}=${replicas}`,
          'rc/agnhost-primary',
          '--timeout=60s',
        );
      }
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod', '-l', 'role=primary', '--timeout=60s');
      const template = '--template={{range.items}}{{.metadata.name}} {{end}}';
      const pods = (await kubectl.succeed('get', 'pods', '-o', 'template', template, '-l', 'role=primary'))
        .trim()
        .split(' ');
      expect(pods).toHaveLength(2);
      const running =
        '--template={{if (exists . "status" "containerStatuses")}}{{range .status.containerStatuses}}{{if (and (eq .name "agnhost-primary") (exists . "state" "running"))}}true{{end}}{{end}}{{end}}';
      for (const pod of pods) expect(await kubectl.succeed('get', 'pods', pod, '-o', 'template', running)).toBe('true');
      await kubectl.succeedWith(JSON.stringify(controller), 'delete', '--grace-period=0', '--force', '-f', '-');
      expect(await kubectl.succeed('get', 'rc,svc', '-l', 'role=primary', '--no-headers')).toBe('');
    });

    test('api-versions, cluster-info with its dump, version and component statuses', { timeout }, async () => {
      const kubectl = await inNamespace('infos');
      expect((await kubectl.succeed('api-versions')).split('\n')).toContain('v1');
      const info = await kubectl.succeed('cluster-info');
      expect(info).toContain('Kubernetes control plane');
      expect(info).toContain('is running at');
      expect(await kubectl.succeed('cluster-info', 'dump')).toContain('"kind": "NodeList"');
      expect(await kubectl.succeed('version')).toMatch(/Client Version: [\s\S]*Server Version: /);
      const { clientVersion, serverVersion } = await kubectl.json<Record<string, Record<string, string>>>('version');
      for (const version of [clientVersion, serverVersion])
        for (const field of ['major', 'minor', 'gitCommit']) expect(version?.[field]).toBeDefined();
      const names = await kubectl.succeed('get', 'componentstatuses', '-o', 'jsonpath={.items[*].metadata.name}');
      for (const one of names.split(' ')) await kubectl.succeed('get', 'componentstatuses', one);
    });

    test('apply: a changed controller, a service that keeps its port, and the last applied configuration', {
      timeout,
    }, async () => {
      const kubectl = await inNamespace('applying');
      await kubectl.succeedWith(JSON.stringify(controller), 'create', '-f', '-');
      const more = { ...labels, 'kubectl.kubernetes.io/apply-test': 'ADDED' };
      const { spec } = controller;
      const changed = {
        ...controller,
        metadata: { name: 'agnhost-primary', labels: more },
        spec: { ...spec, selector: more, template: { ...spec.template, metadata: { labels: more } } },
      };
      await kubectl.succeedWith(JSON.stringify(changed), 'apply', '-f', '-');
      const { metadata } = await kubectl.json<Pod>('get', 'rc', 'agnhost-primary');
      expect(metadata.annotations).toHaveProperty(['kubectl.kubernetes.io/last-applied-configuration']);
      expect(metadata.labels).toMatchObject(more);

      await kubectl.succeedWith(JSON.stringify(service), 'create', '-f', '-');
      const port = ['get', 'service', 'agnhost-primary', '-o', 'jsonpath={.spec.ports[0].port}'];
      const before = await kubectl.succeed(...port);
      await kubectl.succeedWith(JSON.stringify(service), 'apply', '-f', '-');
      expect(await kubectl.succeed(...port)).toBe(before);

      const [two, none, image] = [deployment('httpd:1', 2), deployment('httpd:1'), deployment('httpd:2')].map((one) =>
        JSON.stringify(one),
      );
      const view = ['apply', 'view-last-applied', '-f', '-', '-o', 'json'];
      await kubectl.succeedWith(two ?? '', 'apply', '-f', '-');
      expect(await kubectl.succeedWith(two ?? '', ...view)).toContain('"replicas": 2');
      await kubectl.succeedWith(none ?? '', 'apply', 'set-last-applied', '-f', '-');
      expect(await kubectl.succeedWith(two ?? '', ...view)).not.toContain('"replicas": 2');
      await kubectl.succeed('scale', 'deployment', 'httpd-deployment', '--replicas=3');
      await kubectl.succeedWith(image ?? '', 'apply', '-f', '-');
      const got = await kubectl.succeedWith(image ?? '', 'get', '-f', '-', '-o', 'json');
      expect(got).toContain('"replicas": 3');
      expect(got).toContain('httpd:2');
    });

    test('diff finds a difference, and a dry run of replace leaves the pod as it was', { timeout }, async () => {
      const kubectl = await inNamespace('comparing');
      await kubectl.succeedWith(JSON.stringify(deployment('httpd:1')), 'create', '-f', '-');
      const { code, stdout } = await kubectl.run(['diff', '-f', '-'], JSON.stringify(deployment('busybox:1')));
      expect([code, stdout]).toEqual([1, expect.stringMatching(/httpd:1[\s\S]*busybox:1/)]);
      await kubectl.succeedWith(JSON.stringify(deployment('busybox:1')), 'delete', '-f', '-');

      await kubectl.succeed('run', 'e2e-test', '--image=httpd:1', '--labels=run=e2e-test');
      const pod = (await kubectl.succeed('get', 'pod', 'e2e-test', '-o', 'json')).replace('httpd:1', 'busybox:1');
      await kubectl.succeedWith(pod, 'replace', '-f', '-', '--dry-run=server');
      const image = ['get', 'pod', 'e2e-test', '-o', 'jsonpath={.spec.containers[0].image}'];
      expect(await kubectl.succeed(...image)).toBe('httpd:1');
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/e2e-test', '--timeout=60s');
      const fresh = (await kubectl.succeed('get', 'pod', 'e2e-test', '-o', 'json')).replace('httpd:1', 'busybox:1');
      await kubectl.succeedWith(fresh, 'replace', '-f', '-');
      expect(await kubectl.succeed(...image)).toBe('busybox:1');
    });

    test('describe shows pods, controllers, services, nodes, namespaces and cron jobs', { timeout }, async () => {
      const kubectl = await inNamespace('describing');
      await kubectl.apply(controller, service);
      await kubectl.succeed('wait', '--for=jsonpath={.status.readyReplicas}=1', 'rc/agnhost-primary', '--timeout=60s');
      const [pod = ''] = (await kubectl.succeed('get', 'pods', '-o', 'name')).trim().split('\n');
      checkLines(await kubectl.succeed('describe', pod), [
        ['Name:', 'agnhost-primary-'],
        ['Namespace:', kubectl.namespace],
        ['Node:'],
        ['Labels:', 'app=agnhost'],
        ['role=primary'],
        ['Annotations:'],
        ['Status:', 'Running'],
        ['IP:'],
        ['Controlled By:', 'ReplicationController/agnhost-primary'],
        ['Image:', 'agnhost:2'],
        ['State:', 'Running'],
        ['QoS Class:', 'BestEffort'],
      ]);
      checkLines(await kubectl.succeed('describe', 'rc', 'agnhost-primary'), [
        ['Name:', 'agnhost-primary'],
        ['Namespace:', kubectl.namespace],
        ['Selector:', 'app=agnhost,role=primary'],
        ['Labels:', 'app=agnhost'],
        ['role=primary'],
        ['Annotations:'],
        ['Replicas:', '1 current', '1 desired'],
        ['Pods Status:', '1 Running', '0 Waiting', '0 Succeeded', '0 Failed'],
        ['Pod Template:'],
        ['Image:', 'agnhost:2'],
        ['Events:'],
      ]);
      checkLines(await kubectl.succeed('describe', 'service', 'agnhost-primary'), [
        ['Name:', 'agnhost-primary'],
        ['Namespace:', kubectl.namespace],
        ['Labels:', 'app=agnhost'],
        ['role=primary'],
        ['Annotations:'],
        ['Selector:', 'app=agnhost', 'role=primary'],
        ['Type:', 'ClusterIP'],
        ['IP:'],
        ['Port:', '<unset>', '6379/TCP'],
        ['Endpoints:'],
        ['Session Affinity:', 'None'],
      ]);
      checkLines(await kubectl.succeed('describe', 'node', 'coracle-node-1'), [
        ['Name:', 'coracle-node-1'],
        ['Labels:'],
        ['Annotations:'],
        ['CreationTimestamp:'],
        ['Conditions:'],
        ['Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'],
        ['Addresses:'],
        ['Capacity:'],
        ['Kernel Version:'],
        ['OS Image:'],
        ['Container Runtime Version:'],
        ['Kubelet Version:'],
        ['Pods:'],
      ]);
      checkLines(await kubectl.succeed('describe', 'namespace', kubectl.namespace), [
        ['Name:', kubectl.namespace],
        ['Labels:'],
        ['Annotations:'],
        ['Status:', 'Active'],
      ]);
      const words = ['create', 'cronjob', 'cronjob-test', '--image=busybox', '--schedule=*/1 * * * *'];
      await kubectl.succeed(...words, '--', 'true');
      await kubectl.succeed('patch', 'cronjob', 'cronjob-test', '-p', '{"spec":{"startingDeadlineSeconds":30}}');
      checkLines(await kubectl.succeed('describe', 'cronjob', 'cronjob-test'), [
        ['Name:', 'cronjob-test'],
        ['Schedule:', '*/1 * * * *'],
        ['Concurrency Policy:', 'Allow'],
        ['Suspend:', 'False'],
        ['Successful Job History Limit:', '3'],
        ['Failed Job History Limit:', '1'],
        ['Starting Deadline Seconds:', '30s'],
        ['Selector:'],
        ['Parallelism:'],
        ['Completions:'],
      ]);
    });

    test('expose, label, patch, taint and quotas', { timeout }, async () => {
      const kubectl = await inNamespace('changing');
      await kubectl.apply(controller);
      await kubectl.succeed('expose', 'rc', 'agnhost-primary', '--name=rm2', '--port=1234', '--target-port=6379');
      await kubectl.succeed('expose', 'service', 'rm2', '--name=rm3', '--port=2345', '--target-port=6379');
      const { spec } = await kubectl.json<Service>('get', 'service', 'rm3');
      expect(spec?.ports).toMatchObject([{ port: 2345, targetPort: 6379 }]);
      await kubectl.succeed('wait', '--for=jsonpath={.status.readyReplicas}=1', 'rc/agnhost-primary', '--timeout=60s');
      const [pod = ''] = (await kubectl.succeed('get', 'pods', '-o', 'name')).trim().split('\n');
      await kubectl.succeed('label', pod, 'testing-label=testing-value');
      expect(await kubectl.succeed('get', pod, '-L', 'testing-label')).toContain('testing-value');
      await kubectl.succeed('label', pod, 'testing-label-');
      expect(await kubectl.succeed('get', pod, '-L', 'testing-label')).not.toContain('testing-value');
      await kubectl.succeed('patch', pod, '-p', '{"metadata":{"annotations":{"x":"y"}}}');
      expect((await kubectl.json<Pod>('get', pod)).metadata.annotations?.['x']).toBe('y');

      const taints = ['key=value:NoSchedule', 'key=other:PreferNoSchedule'];
      for (const taint of taints) {
        await kubectl.succeed('taint', 'nodes', 'coracle-node-2', taint, '--overwrite');
        expect(await kubectl.succeed('describe', 'node', 'coracle-node-2')).toContain(taint);
      }
      await kubectl.succeed('taint', 'nodes', 'coracle-node-2', 'key-');
      expect(await kubectl.succeed('describe', 'node', 'coracle-node-2')).not.toContain('key=');

      await kubectl.succeed('create', 'quota', 'million', '--hard=pods=1000000,services=1000000');
      await kubectl.succeed('create', 'quota', 'scopes', '--hard=pods=1000000', '--scopes=BestEffort,NotTerminating');
      expect(await kubectl.succeed('get', 'quota', 'scopes', '-o', 'jsonpath={.spec.scopes}')).toBe(
        '["BestEffort","NotTerminating"]',
      );
      await kubectl.fail('create', 'quota', 'bad', '--hard=hard=pods=1000000', '--scopes=Foo');
    });

    test('logs are limited, stamped and of a time', { timeout }, async () => {
      const kubectl = await inNamespace('logging');
      const script = 'echo one; echo two; echo three; sleep 3600';
      await kubectl.succeed('run', 'generator', '--image=busybox', '--restart=Never', '--', 'sh', '-c', script);
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/generator', '--timeout=60s');
      const logs = (...flags: string[]) => kubectl.succeed('logs', 'generator', 'generator', ...flags);
      expect(await logs('--tail=1')).toBe('three\n');
      expect(await logs('--limit-bytes=1')).toHaveLength(1);
      expect(await logs('--tail=1', '--timestamps')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z three\n$/);
      expect(await logs('--since=24h')).toBe('one\ntwo\nthree\n');
    });

    test('run -i ends with the exit code of its container', { timeout }, async () => {
      const kubectl = await inNamespace('codes');
      const run = (pod: string, code: number) =>
        kubectl.run(['run', '-i', '--image=busybox', '--restart=Never', pod, '--', '/bin/sh', '-c', `exit ${code}`]);
      expect((await run('success', 0)).code).toBe(0);
      expect((await run('failure', 42)).code).toBe(42);
    });

    test('proxy on a port and on a socket, and exec through it', { timeout }, async () => {
      const kubectl = await inNamespace('proxies');
      await kubectl.succeed('run', 'httpd', '--image=httpd');
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/httpd', '--timeout=60s');
      const port = kubectl.lines('proxy', '-p', '0', '--disable-filter');
      const folder = mkdtempSync(join(tmpdir(), 'coracle-proxy-'));
      const path = join(folder, 'socket');
      const socket = kubectl.lines('proxy', `--unix-socket=${path}`);
      try {
        const [address] = await Promise.all([servedAt(port), servedAt(socket)]);
        const url = `http://${address}`;
        expect(await (await fetch(`${url}/api/`)).json()).toMatchObject({ versions: ['v1'] });
        expect(await getOverSocket(path, '/api')).toMatchObject({ versions: ['v1'] });
        const through = [
          '--kubeconfig=/dev/null',
          `--server=${url}`,
          'exec',
          'httpd',
          '--',
          'echo',
          'running',
          'in',
          'container',
        ];
        expect(await kubectl.succeed(...through)).toBe('running in container\n');
      } finally {
        port[Symbol.dispose]();
        socket[Symbol.dispose]();
        rmSync(folder, { recursive: true, force: true });
      }
    });

    test('exec through an HTTP proxy of the environment', { timeout }, async () => {
      const kubectl = await inNamespace('http-proxies');
      await kubectl.succeed('run', 'httpd', '--image=httpd');
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/httpd', '--timeout=60s');
      // Requests to this machine go past proxies: a name that is not its usual one does not.
      const connects: string[] = [];
      const proxy = createServer();
      proxy.on('connect', (request, client, head) => {
        connects.push(request.url ?? '');
        const upstream = connect(cluster.port, '127.0.0.1', () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n');
          if (head.length > 0) upstream.write(head);
          client.pipe(upstream);
          upstream.pipe(client);
        });
        upstream.on('error', () => client.destroy());
        client.on('error', () => upstream.destroy());
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      try {
        const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        const server = ['--server=https://api.coracle.test:6443', '--tls-server-name=localhost'];
        const proxied = kubectl.with({ HTTPS_PROXY: url, https_proxy: url, NO_PROXY: '', no_proxy: '' });
        expect(await proxied.succeed(...server, 'exec', 'httpd', '--', 'echo', 'running', 'in', 'container')).toBe(
          'running in container\n',
        );
        expect(connects).toContain('api.coracle.test:6443');
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });

    test('cp copies a file of a running pod', { timeout }, async () => {
      const kubectl = await inNamespace('copies');
      await kubectl.succeed('run', 'busybox1', '--image=busybox');
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/busybox1', '--timeout=60s');
      await kubectl.succeed('exec', 'busybox1', '--', 'sh', '-c', 'echo foobar > /tmp/foo.bar');
      const folder = mkdtempSync(join(tmpdir(), 'coracle-copy-'));
      try {
        await kubectl.succeed('cp', 'busybox1:/tmp/foo.bar', join(folder, 'copied'));
        expect(readFileSync(join(folder, 'copied'), 'utf8')).toBe('foobar\n');
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });

/** The address that `kubectl proxy` says. */
async function servedAt(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /^Starting to serve on (.+)$/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('kubectl proxy ended before it served');
}

async function getOverSocket(socketPath: string, path: string): Promise<unknown> {
  const request = httpRequest({ socketPath, path }).end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return JSON.parse(String(Buffer.concat(chunks)));
}
