import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceCases, conformanceImages, conformanceObjects } from './conformance-cases.js';
import { busybox, TestContainerd, whyNoContainerd } from './containerd.js';
import { podOf, RealNode } from './real-node.js';

const whyNot = whyNoContainerd();
const ready = '{.status.conditions[?(@.type=="Ready")].status}';
const restarts = '{.status.containerStatuses[0].restartCount}';

describe.skipIf(whyNot)(`conformance of nodes on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  let containerd: TestContainerd;
  let node: RealNode;

  beforeAll(async () => {
    containerd = await TestContainerd.start({ images: conformanceImages });
    node = await RealNode.start(containerd);
    await node.until('serviceaccount/default', '{.metadata.name}', /default/);
    await node.create(...conformanceObjects);
    await node.create(...conformanceCases.map(({ pod }) => pod));
  }, 180_000);
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    await containerd?.[Symbol.asyncDispose]();
  }, 120_000);

  test.each(conformanceCases)(
    '[sig-node] $name',
    async ({ pod, path, becomes, prints }) => {
      const { name } = pod.metadata;
      if (path !== undefined && becomes) await node.until(`pod/${name}`, path, becomes);
      if (!prints) return;
      await node.until(`pod/${name}`, '{.status.phase}', /^(Succeeded|Failed)$/);
      expect((await node.kubectl(['logs', name])).stdout).toMatch(prints);
    },
    120_000,
  );

  test('[sig-node] Container Lifecycle Hook: postStart and preStop, by exec and by HTTP', async () => {
    const paths = ['/post-http', '/post-exec', '/pre-http', '/pre-exec'];
    // A server that forks for each connection: none is lost, however close together they come.
    const serve = `mkdir /w; cd /w; touch ${paths.map((path) => path.slice(1)).join(' ')}; exec httpd -f -vv -p 8080 -h /w`;
    await node.create(podOf('listener', busybox, serve, {}, { readinessProbe: probe({ tcpSocket: { port: 8080 } }) }));
    await node.until('pod/listener', ready, /^True$/);
    const host = await node.until('pod/listener', '{.status.podIP}', /^\d/);
    const byHttp = (path: string) => ({ httpGet: { host, path, port: 8080 } });
    const request = (path: string) => `printf 'GET ${path} HTTP/1.0\\r\\n\\r\\n' | nc -w 10 ${host} 8080 | grep -q 200`;
    const byExec = (path: string) => ({
      exec: { command: ['sh', '-c', `until ${request(path)}; do sleep 0.2; done`] },
    });
    const waits = 'trap exit TERM; while :; do sleep 0.1; done';
    const patient = { terminationGracePeriodSeconds: 60 };
    const hooks = (postStart: object, preStop: object) => ({ lifecycle: { postStart, preStop } });
    await node.create(
      podOf('by-http', busybox, waits, patient, hooks(byHttp('/post-http'), byHttp('/pre-http'))),
      podOf('by-exec', busybox, waits, patient, hooks(byExec('/post-exec'), byExec('/pre-exec'))),
    );
    // A hook without a host goes to the pod itself, where a sidecar listens before its container starts and until it
    // ends.
    const own = (path: string) => ({ httpGet: { path: `/dial?to=${host}&request=echo%3Fmsg%3D${path}`, port: 8081 } });
    const sidecar = {
      name: 'sidecar',
      image: busybox,
      restartPolicy: 'Always',
      command: ['sh', '-c', 'trap exit TERM; httpd -f -vv -p 8081 -h /etc & wait'],
      startupProbe: probe({ httpGet: { path: '/passwd', port: 8081 } }),
    };
    const patientPair = { ...patient, initContainers: [sidecar] };
    await node.create(podOf('by-pod', busybox, waits, patientPair, hooks(own('post'), own('pre'))));
    for (const name of ['by-http', 'by-exec', 'by-pod']) await node.until(`pod/${name}`, ready, /^True$/);
    const sidecarLog = (await node.kubectl(['logs', 'by-pod', '-c', 'sidecar'])).stdout;
    expect(sidecarLog).toMatch(/url:\/dial/);
    const deleted = await node.kubectl(['delete', 'pod', 'by-http', 'by-exec', 'by-pod', '--timeout=50s']);
    expect(deleted.stderr).toBe('');
    expect((await node.kubectl(['get', 'events', '-o', 'jsonpath={.items[*].reason}'])).stdout).not.toMatch(
      /StopHook|StartHook/,
    );
    const log = async () => (await node.kubectl(['logs', 'listener'])).stdout;
    for (const path of paths) await expect.poll(log, { timeout: 20_000 }).toContain(`url:${path}`);
  }, 180_000);

  test('[sig-node] Probing container: by exec, HTTP and TCP; what fails restarts, what succeeds does not', async () => {
    const serve = 'mkdir /w; echo ok > /w/healthz; httpd -p 8080 -h /w; ';
    const always = { restartPolicy: 'Always', terminationGracePeriodSeconds: 0 };
    const health = { exec: { command: ['cat', '/tmp/health'] } };
    const page = { httpGet: { path: '/healthz', port: 8080 } };
    const livenessProbe = (how: object) => ({ livenessProbe: { ...probe(how), failureThreshold: 2 } });
    const nodePage = { httpGet: { path: '/healthz', port: 8079 } };
    const onNode = { ...livenessProbe(nodePage), readinessProbe: probe(nodePage) };
    const [lasting, passing] = ['exec sleep 3600', 'sleep 4; rm -f /tmp/health /w/healthz; exec sleep 3600'];
    await node.create(
      podOf('exec-good', busybox, `touch /tmp/health; ${lasting}`, always, livenessProbe(health)),
      podOf('http-good', busybox, `${serve}${lasting}`, always, livenessProbe(page)),
      podOf('tcp-good', busybox, `${serve}${lasting}`, always, livenessProbe({ tcpSocket: { port: 8080 } })),
      podOf(
        'node-good',
        busybox,
        `${serve.replace('8080', '8079')}${lasting}`,
        { ...always, hostNetwork: true },
        onNode,
      ),
      podOf('exec-bad', busybox, `touch /tmp/health; ${passing}`, always, livenessProbe(health)),
      podOf('http-bad', busybox, `${serve}${passing}`, always, livenessProbe(page)),
      podOf('never-ready', busybox, lasting, always, { readinessProbe: probe({ exec: { command: ['false'] } }) }),
    );
    for (const name of ['exec-bad', 'http-bad']) await node.until(`pod/${name}`, restarts, /^[1-9]/);
    for (const name of ['exec-good', 'http-good', 'tcp-good', 'node-good']) {
      await node.until(`pod/${name}`, ready, /^True$/);
      await node.until(`pod/${name}`, restarts, /^0$/);
    }
    await node.until('pod/never-ready', '{.status.containerStatuses[0].state.running.startedAt}', /^\d/);
    await node.until('pod/never-ready', ready, /^False$/);
    await node.until('pod/never-ready', restarts, /^0$/);
    const all = ['exec-good', 'http-good', 'tcp-good', 'node-good', 'exec-bad', 'http-bad', 'never-ready'];
    await node.kubectl(['delete', 'pod', ...all]);
  }, 180_000);
});

/** Polls every second, with time for a busy machine. */
function probe(how: object): object {
  return { ...how, periodSeconds: 1, timeoutSeconds: 20 };
}
