import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox } from '../containerd/containerd.js';
import { run } from '../run.js';
import { canMakeRealNodes, NetworkNode } from './network-node.js';

const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const families = ['--cluster-cidr', '10.244.0.0/16,fd00:244::/48', '--node-ip', '192.0.2.1,fd00:2::1'];
const services = ['--service-cluster-ip-range', '10.96.0.0/16,fd00:96::/112'];

describe.skipIf(!canMakeRealNodes)(
  'a real node with IPv4 and IPv6: datagrams, and rollouts under load',
  { timeout: 300_000 },
  () => {
    let node: NetworkNode;
    const started: ChildProcess[] = [];

    beforeAll(async () => {
      node = await NetworkNode.make(...families, ...services);
      for (const name of ['a', 'b'])
        await node.kubectl(
          'run',
          name,
          `--image=${busybox}`,
          `--labels=app=${name}`,
          '--command',
          '--',
          'sleep',
          '3600',
        );
      await node.kubectl('wait', '--for=condition=Ready', 'pod/a', 'pod/b', '--timeout=100s');
    }, 300_000);
    afterAll(async () => {
      for (const child of started) child.kill('SIGKILL');
      await node?.[Symbol.asyncDispose]();
    }, 60_000);

    const json = (text: string) => JSON.parse(text);
    const addressesOf = async (pod: string): Promise<string[]> =>
      json(await node.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.podIPs}')).map(
        ({ ip }: { ip: string }) => ip,
      );
    /** Whatever runs in the container of a pod has its network. */
    async function networkOf(pod: string): Promise<string> {
      const id = await node.kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.containerStatuses[0].containerID}');
      const { stdout } = await run('ctr', ['-a', node.containerd.socket, '-n', 'k8s.io', 'tasks', 'list']);
      const line = stdout.split('\n').find((one) => one.startsWith(id.replace('containerd://', '')));
      return `--net=/proc/${line?.split(/\s+/)[1]}/ns/net`;
    }
    /** Serves HTTP and echoes datagrams in a pod: it responds with its name and the address of the client. */
    async function serve(pod: string): Promise<void> {
      const args = [await networkOf(pod), process.execPath, script('name-server.mjs'), pod, '8080'];
      const child = spawn('nsenter', args, { stdio: ['ignore', 'pipe', 'inherit'] });
      started.push(child);
      await once(child.stdout, 'data');
    }
    const sendUdp = async (from: string, address: string, port: number) =>
      (
        await run('nsenter', [from, process.execPath, script('send-udp.mjs'), address, String(port), '0'])
      ).stdout.trim();

    test('datagrams between pods and from the node, by addresses and by a service, in both families', async () => {
      await serve('a');
      const [four = '', six = ''] = await addressesOf('a');
      expect([four, six]).toEqual([expect.stringMatching(/^10\.244\./), expect.stringMatching(/^fd00:244:/)]);
      const [fromFour = '', fromSix = ''] = await addressesOf('b');
      const [b, host] = [await networkOf('b'), `--net=/run/netns/${node.containerd.netns}`];
      expect(await sendUdp(b, four, 8080)).toBe(`a ${fromFour}`);
      expect(await sendUdp(b, six, 8080)).toBe(`a ${fromSix}`);
      expect(await sendUdp(host, four, 8080)).toMatch(/^a /);
      expect(await sendUdp(host, six, 8080)).toMatch(/^a /);
      await node.apply({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'echo' },
        spec: {
          selector: { app: 'a' },
          ipFamilyPolicy: 'RequireDualStack',
          type: 'NodePort',
          ports: [
            { name: 'udp', protocol: 'UDP', port: 80, targetPort: 8080 },
            { name: 'tcp', protocol: 'TCP', port: 80, targetPort: 8080 },
          ],
        },
      });
      const ips = json(await node.kubectl('get', 'svc', 'echo', '-o', 'jsonpath={.spec.clusterIPs}')) as string[];
      expect(ips.map((ip) => ip.includes(':'))).toEqual([false, true]);
      for (const ip of ips) await node.until(/^a /, () => sendUdp(b, ip, 80));
      const nodePort = Number(await node.kubectl('get', 'svc', 'echo', '-o', 'jsonpath={.spec.ports[0].nodePort}'));
      for (const ip of ['192.0.2.1', 'fd00:2::1', '127.0.0.1'])
        await node.until(/^a /, () => sendUdp(host, ip, nodePort));
      for (const ip of ips) {
        const url = `http://${ip.includes(':') ? `[${ip}]` : ip}/`;
        await node.until(/^a /, async () => (await run('nsenter', [b, 'curl', '-s', '-m', '5', url])).stdout);
      }
      const names = await node.kubectl('exec', 'b', '--', 'nslookup', 'echo.default.svc.cluster.local');
      for (const ip of ips) expect(names).toContain(ip);
    });

    test('a rolling update loses no request of a client that connects without pause', async () => {
      const serveFiles = 'mkdir -p /tmp/w; hostname > /tmp/w/index.html; exec httpd -f -p 8080 -h /tmp/w';
      await node.apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: 'web' } },
          strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: {
              terminationGracePeriodSeconds: 12,
              containers: [
                {
                  name: 'c',
                  image: busybox,
                  command: ['sh', '-c', serveFiles],
                  readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
                  lifecycle: { preStop: { sleep: { seconds: 10 } } },
                },
              ],
            },
          },
        },
      });
      await node.kubectl('expose', 'deployment', 'web', '--port=80', '--target-port=8080');
      await node.kubectl('rollout', 'status', 'deployment/web', '--timeout=100s');
      const address = await node.kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
      await node.until(/^web-/, () => node.run('curl', '-s', '-m', '5', `http://${address}/`));
      const [file, args] = node.containerd.insideArguments(process.execPath, [
        script('steady-client.mjs'),
        `http://${address}/`,
      ]);
      const client = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      started.push(client);
      let printed = '';
      client.stdout.on('data', (chunk: Buffer) => {
        printed += chunk;
      });
      const before = await node.kubectl('get', 'pods', '-l', 'app=web', '-o', 'name');
      await node.kubectl('rollout', 'restart', 'deployment/web');
      expect(await node.kubectl('rollout', 'status', 'deployment/web', '--timeout=110s')).toContain('successfully');
      // Until the replaced ones are deleted too.
      for (const name of before.split('\n')) await node.kubectl('wait', '--for=delete', name, '--timeout=60s');
      const closed = once(client, 'close');
      client.stdin.end();
      await closed;
      const { answers, failures } = json(printed.replace('ready\n', ''));
      expect(failures).toEqual({});
      expect(answers).toBeGreaterThan(20);
    });
  },
);
