import { readdirSync } from 'node:fs';
import { createAuthority } from '@coracle/platform-nodejs';
import { gatewayCrds } from '@coracle/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox } from '../containerd/containerd.js';
import { gateway, httpRoute } from './gateway-objects.js';
import { canMakeRealNodes, NetworkNode } from './network-node.js';

describe.skipIf(!canMakeRealNodes)(
  'coracle up on a machine with containerd: pods, services, names and policies',
  () => {
    let node: NetworkNode;
    const kubectl = (...args: string[]) => node.kubectl(...args);
    const until = (pattern: RegExp, ask: () => Promise<string>) => node.until(pattern, ask);
    const ask = (pod: string, address: string, port?: number) => node.ask(pod, address, port);

    beforeAll(async () => {
      node = await NetworkNode.make();
      const serve = 'mkdir -p /tmp/w; hostname > /tmp/w/index.html; httpd -p 8080 -h /tmp/w; exec sleep 3600';
      const image = `--image=${busybox}`;
      await kubectl('run', 'web', image, '--labels=app=web', '--port=8080', '--command', '--', 'sh', '-c', serve);
      await kubectl('run', 'client', image, '--command', '--', 'sleep', '3600');
      await kubectl('expose', 'pod', 'web', '--port=80', '--target-port=8080', '--type=NodePort');
      await kubectl('wait', '--for=condition=Ready', 'pod/web', 'pod/client', '--timeout=100s');
    }, 240_000);
    afterAll(() => node?.[Symbol.asyncDispose](), 60_000);

    test('a service by its address, its name and its node port; the API server by its service', async () => {
      const address = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
      const port = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.ports[0].nodePort}');
      await until(/^web$/, () => ask('client', address));
      await until(/^web$/, () => ask('web', address));
      await until(/^web$/, () => ask('client', '192.0.2.1', Number(port)));
      expect(await node.run('curl', '-s', '-m', '5', `http://${address}/`)).toBe('web');
      await until(new RegExp(address), () =>
        kubectl('exec', 'client', '--', 'nslookup', 'web.default.svc.cluster.local'),
      );
      expect(await kubectl('exec', 'client', '--', 'cat', '/etc/resolv.conf')).toContain('nameserver 10.96.0.10');
    }, 120_000);

    test('an Ingress by HTTP and HTTPS, from the node and from a pod, and a route that changes', async () => {
      const { certificate, key } = await createAuthority('shop.example.com', {
        notBefore: new Date(Date.now() - 60_000),
        notAfter: new Date(Date.now() + 3_600_000),
      });
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'shop' },
        stringData: { 'tls.crt': certificate, 'tls.key': key },
      };
      const ingress = (path: string) => ({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'shop' },
        spec: {
          ingressClassName: 'coracle',
          tls: [{ hosts: ['shop.example.com'], secretName: 'shop' }],
          rules: [
            {
              host: 'shop.example.com',
              http: {
                paths: [{ path, pathType: 'Exact', backend: { service: { name: 'web', port: { number: 80 } } } }],
              },
            },
          ],
        },
      });
      await kubectl('apply', '-f', '-', JSON.stringify(secret));
      await kubectl('apply', '-f', '-', JSON.stringify(ingress('/')));
      await until(/^192\.0\.2\.1$/, () =>
        kubectl('get', 'ingress', 'shop', '-o', 'jsonpath={.status.loadBalancer.ingress[0].ip}'),
      );
      const curl = (url: string, ...more: string[]) => {
        const resolve = ['80', '443'].flatMap((port) => ['--resolve', `shop.example.com:${port}:192.0.2.1`]);
        return node.run('curl', '-sk', '-m', '5', ...resolve, ...more, url);
      };
      const version = ['-o', '/dev/null', '-w', '%{http_version} %{http_code} %{ssl_verify_result}'];
      expect(await curl('http://shop.example.com/')).toBe('web');
      expect(await curl('https://shop.example.com/')).toBe('web');
      expect(await curl('https://shop.example.com/', ...version)).toMatch(/^2 200 /);
      expect(await curl('http://shop.example.com/other', ...version)).toMatch(/^1.1 404/);
      await until(/^web$/, () =>
        kubectl(
          'exec',
          'client',
          '--',
          'sh',
          '-c',
          "printf 'GET / HTTP/1.0\\r\\nhost: shop.example.com\\r\\n\\r\\n' | nc -w 2 192.0.2.1 80 | tail -n 1",
        ),
      );
      await kubectl('apply', '-f', '-', JSON.stringify(ingress('/index.html')));
      await until(/^web$/, () => curl('http://shop.example.com/index.html'));
      await kubectl('delete', 'ingress', 'shop');
      await until(/^000$/, () => curl('http://shop.example.com/', '-o', '/dev/null', '-w', '%{http_code}'));
    }, 180_000);

    test('a Gateway with a route that changes, once the CRDs of the Gateway API are installed', async () => {
      await node.apply({ apiVersion: 'v1', kind: 'List', items: gatewayCrds });
      await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s');
      const accepted = 'jsonpath={.status.conditions[?(@.type=="Accepted")].status}';
      await until(/^True$/, () => kubectl('get', 'gatewayclass', 'coracle', '-o', accepted));
      await node.apply(gateway);
      await node.apply(httpRoute('/shop'));
      const programmed = 'jsonpath={.status.conditions[?(@.type=="Programmed")].status} {.status.addresses[0].value}';
      await until(/^True 192\.0\.2\.1$/, () => kubectl('get', 'gateway', 'front', '-o', programmed));
      const resolve = ['--resolve', 'www.example.com:80:192.0.2.1'];
      const curl = (path: string, ...more: string[]) =>
        node.run('curl', '-s', '-m', '5', ...resolve, ...more, `http://www.example.com${path}`);
      await until(/^web$/, () => curl('/shop/index.html'));
      expect(await curl('/other', '-o', '/dev/null', '-w', '%{http_code}')).toBe('404');
      await node.apply(httpRoute('/store'));
      await until(/^web$/, () => curl('/store/index.html'));
      await until(/^404$/, () => curl('/shop/index.html', '-o', '/dev/null', '-w', '%{http_code}'));
      await kubectl('delete', 'gateway', 'front');
      await until(/^000$/, () => curl('/store/', '-o', '/dev/null', '-w', '%{http_code}'));
    }, 180_000);

    test('a policy holds between pods of the node', async () => {
      const address = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.status.podIP}');
      const policy = {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'deny' },
        spec: { podSelector: { matchLabels: { app: 'web' } }, policyTypes: ['Ingress'] },
      };
      expect(await ask('client', address, 8080)).toBe('web');
      await kubectl('apply', '-f', '-', JSON.stringify(policy));
      await until(/^(?!web)/, () => ask('client', address, 8080));
      await kubectl('delete', 'networkpolicy', 'deny');
      await until(/^web$/, () => ask('client', address, 8080));
    }, 120_000);

    test('services work while the process is down, it adopts them after a restart, and leaves nothing at the end', async () => {
      const address = await kubectl('get', 'svc', 'web', '-o', 'jsonpath={.spec.clusterIP}');
      const curl = () => node.run('curl', '-s', '-m', '5', `http://${address}/`);
      await node.stop('SIGKILL');
      expect(await curl()).toBe('web');
      await node.start();
      expect(await curl()).toBe('web');
      await kubectl('delete', 'pod', 'web', 'client', '--grace-period=1');
      await node.stop('SIGTERM');
      expect(await node.run('nft', 'list', 'tables')).toBe('');
      expect(await node.run('ip', '-br', 'link')).not.toMatch(/coracle|veth/);
      expect(readdirSync(node.configFolder)).toEqual([]);
    }, 180_000);
  },
);
