import { expect, test } from 'vitest';
import { MemoryHost } from './memory-host.fixture.js';
import { runPlugin } from './run-plugin.js';

const config = {
  cniVersion: '1.0.0',
  name: 'pods',
  type: 'coracle-cni',
  bridge: 'br0',
  ipMasq: true,
  ipam: { ranges: [[{ subnet: '10.0.0.0/29' }]] },
};

interface Call {
  readonly id?: string;
  readonly netns?: string;
  readonly ifName?: string;
  readonly config?: object | string;
}

function call(host: MemoryHost, command: string, { id = 'c1', netns = '/ns', ifName = 'eth0', ...more }: Call = {}) {
  const { config: input = config } = more;
  const answer = runPlugin({
    environment: { CNI_COMMAND: command, CNI_CONTAINERID: id, CNI_NETNS: netns, CNI_IFNAME: ifName },
    stdin: typeof input === 'string' ? input : JSON.stringify(input),
    host,
  });
  return { exitCode: answer.exitCode, json: answer.stdout ? JSON.parse(answer.stdout) : undefined };
}

test('ADD connects the pod and says how', () => {
  const host = new MemoryHost();
  const { exitCode, json } = call(host, 'ADD');
  expect(exitCode).toBe(0);
  expect(json.ips).toEqual([{ address: '10.0.0.2/32', gateway: '10.0.0.1', interface: 2 }]);
  expect(json.routes).toEqual([{ dst: '0.0.0.0/0', gw: '10.0.0.1' }]);
  expect(host.done).toContain('addr replace 10.0.0.1/29 dev br0');
  expect(host.done).toContain('[/ns] addr add 10.0.0.2/32 dev eth0');
  expect(host.done).toContain('ipv4/ip_forward=1');
});

test('DEL releases everything, for any number of calls', () => {
  const host = new MemoryHost();
  call(host, 'ADD');
  for (let i = 0; i < 3; i++) expect(call(host, 'DEL', { netns: '' })).toEqual({ exitCode: 0, json: undefined });
  expect([...host.links]).toEqual(['br0']);
  expect(host.claimed.size + host.attachments.size).toBe(0);
});

test('a failed ADD leaves nothing behind', () => {
  const host = new MemoryHost();
  host.failing = 'route add 0.0.0.0/0';
  expect(call(host, 'ADD')).toMatchObject({ exitCode: 1, json: { code: 101, msg: expect.stringContaining('no') } });
  expect([...host.links]).toEqual(['br0']);
  expect(host.claimed.size + host.attachments.size).toBe(0);
});

test('addresses run out, and are allocated again after their release', () => {
  const host = new MemoryHost();
  const added = ['a', 'b', 'c', 'd', 'e'].map((id) => call(host, 'ADD', { id }).json.ips[0].address);
  expect(added).toEqual(['10.0.0.2/32', '10.0.0.3/32', '10.0.0.4/32', '10.0.0.5/32', '10.0.0.6/32']);
  expect(call(host, 'ADD', { id: 'f' }).json).toMatchObject({
    code: 100,
    msg: 'no IP addresses available in range 10.0.0.0/29',
  });
  call(host, 'DEL', { id: 'c' });
  expect(call(host, 'ADD', { id: 'f' }).json.ips[0].address).toBe('10.0.0.4/32');
});

test('GC removes attachments that the runtime does not list', () => {
  const host = new MemoryHost();
  for (const id of ['a', 'b']) call(host, 'ADD', { id });
  host.claimed.set('10.0.0.6', 'crashed:eth0');
  const valid = { 'cni.dev/valid-attachments': [{ containerID: 'b', ifname: 'eth0' }] };
  expect(call(host, 'GC', { config: { ...config, cniVersion: '1.1.0', ...valid } }).exitCode).toBe(0);
  expect([...host.claimed.values()]).toEqual(['b:eth0']);
});

test('host ports and bandwidth', () => {
  const host = new MemoryHost();
  const runtimeConfig = {
    portMappings: [
      { hostPort: 8080, containerPort: 80, protocol: 'tcp' },
      { HostPort: 53, ContainerPort: 53, Protocol: 'UDP', HostIP: '192.0.2.1' },
      { hostPort: 0, containerPort: 9 },
    ],
    bandwidth: { ingressRate: 1_000_000, ingressBurst: 80_000, egressRate: 2_000_000, egressBurst: 0 },
  };
  call(host, 'ADD', { config: { ...config, runtimeConfig } });
  expect(host.done.filter((line) => line.startsWith('add element'))).toEqual([
    'add element inet coracle-cni host-ports-4 { tcp . 8080 : 10.0.0.2 . 80 }',
    'add element inet coracle-cni host-ip-ports-4 { 192.0.2.1 . udp . 53 : 10.0.0.2 . 53 }',
    'add element inet coracle-cni hairpin-4 { 10.0.0.2 . 10.0.0.2 }',
  ]);
  expect(host.done.filter((line) => line.startsWith('tc'))).toEqual([
    expect.stringMatching(/^tc {2}qdisc add dev veth\w+ root tbf rate 1000000bit burst 10000b latency 25ms$/),
    'tc /ns qdisc add dev eth0 root tbf rate 2000000bit burst 2147483647b latency 25ms',
  ]);
  const limited =
    /^add rule netdev coracle-cni (veth\w+) limit rate over 250000 bytes\/second burst 131072 bytes drop$/;
  const [rule = ''] = host.done.filter((line) => line.startsWith('add rule'));
  expect(rule).toMatch(limited);
  call(host, 'DEL', { config: { ...config, runtimeConfig } });
  expect(host.done.at(-1)).toBe(`delete chain netdev coracle-cni ${limited.exec(rule)?.[1]}`);
});

test('CHECK compares with the actual state', () => {
  const host = new MemoryHost();
  const prevResult = call(host, 'ADD').json;
  const checked = { ...config, prevResult };
  expect(call(host, 'CHECK', { config: checked }).exitCode).toBe(0);
  host.links.clear();
  expect(call(host, 'CHECK', { config: checked }).json.msg).toMatch(/interface veth\w+ is missing/);
  expect(call(host, 'CHECK').json).toMatchObject({ code: 7 });
});

test('VERSION and STATUS', () => {
  const host = new MemoryHost();
  expect(call(host, 'VERSION', { config: '' }).json.supportedVersions).toContain('1.1.0');
  expect(call(host, 'STATUS').exitCode).toBe(0);
  expect(call(host, 'STATUS', { config: { ...config, ipam: {} } }).json.code).toBe(50);
});

test.each([
  ['an unknown command', 'PING', {}, 4],
  ['no container id', 'ADD', { id: '' }, 4],
  ['a container id that is a path', 'ADD', { id: '../x' }, 4],
  ['a long interface name', 'ADD', { ifName: 'a'.repeat(16) }, 4],
  ['broken JSON', 'ADD', { config: '{' }, 6],
  ['no network name', 'ADD', { config: { ...config, name: '' } }, 7],
  ['a bridge name with a command in it', 'ADD', { config: { ...config, bridge: 'a\nlink del x' } }, 7],
  ['an unknown version', 'ADD', { config: { ...config, cniVersion: '3.0.0' } }, 1],
  ['a namespace that is gone', 'ADD', { netns: '/gone' }, 3],
])('refuses %s', (_, command, more, code) => {
  const host = new MemoryHost();
  expect(call(host, command, more)).toMatchObject({ exitCode: 1, json: { code } });
  expect(host.done).toEqual([]);
});
