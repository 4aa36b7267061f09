import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { hasKubectl, Kubectl, ownKubectl, realKubectl } from './kubectl.js';

const slow = 60_000;
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'nginx',
        ports: [{ containerPort: 80 }],
        command: ['sh', '-c', 'sleep 5; echo later; sleep 1h'],
      },
    ],
  },
};

const programs = [
  { name: 'the real kubectl', program: realKubectl, isThere: hasKubectl },
  { name: 'our kubectl', program: ownKubectl, isThere: true },
];

/** What kubectl uses by default, and what older ones can: each is requested by name. */
const ways = [
  { way: 'WebSocket', env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'true', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'true' } },
  { way: 'SPDY', env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' } },
];

for (const { name, program, isThere } of programs)
  describe.skipIf(!isThere)(`streams of ${name}`, () => {
    let cluster: RunningCluster;
    beforeAll(async () => {
      cluster = await RunningCluster.start({ flags: ['--nodes', '1'] });
    });
    afterAll(() => cluster[Symbol.asyncDispose]());

    describe.each(ways)('over $way', ({ way, env }) => {
      const namespace = `over-${way.toLowerCase()}`;
      let kubectl: Kubectl;
      beforeAll(async () => {
        kubectl = (await Kubectl.inNamespace(cluster, namespace, program)).with(env);
        await kubectl.apply(pod);
        await kubectl.succeed('wait', '--for=condition=Ready', 'pod/web', '--timeout=20s');
      }, slow);

      test('attach receives the output of the container', { timeout: slow }, async () => {
        const lines = kubectl.lines('attach', 'web');
        try {
          for await (const line of lines) {
            expect(line).toBe('later');
            break;
          }
        } finally {
          lines[Symbol.dispose]();
        }
      });

      const commands = [
        { args: ['web', '--', 'echo', 'hi'], stdout: 'hi\n' },
        { args: ['-i', 'web', '--', 'cat'], input: 'one\ntwo\n', stdout: 'one\ntwo\n' },
        { args: ['-i', 'web', '--', 'sh'], input: 'hostname\nexit 9\n', stdout: 'web\n', code: 9 },
        {
          args: ['web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'],
          stdout: 'out\n',
          stderr: 'err\ncommand terminated with exit code 3\n',
          code: 3,
        },
      ];
      test.each(commands)('exec $args', { timeout: slow }, async ({ args, input, stdout, stderr, code = 0 }) => {
        const outcome = await kubectl.run(['exec', ...args], input);
        expect([outcome.code, outcome.stdout]).toEqual([code, stdout]);
        if (stderr !== undefined) expect(outcome.stderr).toBe(stderr);
      });

      test('exec carries a megabyte there and back', { timeout: slow }, async () => {
        const text = 'The quick brown fox jumps over the lazy dog.\n'.repeat(25_000);
        expect((await kubectl.succeedWith(text, 'exec', '-i', 'web', '--', 'cat')) === text).toBe(true);
      });

      test('exec reports a command that cannot be run', { timeout: slow }, async () => {
        expect(await kubectl.fail('exec', 'web', '--', 'nope')).toContain(
          'unable to start container process: exec: "nope": executable file not found in $PATH',
        );
        expect(await kubectl.fail('exec', 'web', '-c', 'other', '--', 'true')).toContain(
          'container other is not valid for pod web',
        );
      });

      test('cp carries a folder there and back', { timeout: slow }, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'coracle-cp-'));
        try {
          mkdirSync(join(folder, 'there/below'), { recursive: true });
          writeFileSync(join(folder, 'there/a'), 'one\n');
          writeFileSync(join(folder, 'there/below/b'), 'two\n');
          await kubectl.succeed('cp', join(folder, 'there'), 'web:/tmp/copied');
          expect(await kubectl.succeed('exec', 'web', '--', 'cat', '/tmp/copied/below/b')).toBe('two\n');
          await kubectl.succeed('cp', 'web:/tmp/copied', join(folder, 'back'));
          expect(readFileSync(join(folder, 'back/a'), 'utf8')).toBe('one\n');
          expect(readFileSync(join(folder, 'back/below/b'), 'utf8')).toBe('two\n');
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });

      test('port-forward carries HTTP, bytes that are none, and a refusal', { timeout: slow }, async () => {
        const lines = kubectl.lines('port-forward', 'pod/web', ':80', ':81', '--address', '127.0.0.1');
        try {
          const [open, closed] = await forwardedPorts(lines, 2);
          const answer = await fetch(`http://127.0.0.1:${open}/page?x=1`);
          expect(await answer.text()).toBe(`This is the simulated pod ${namespace}/web, port 80.\nGET /page?x=1\n`);
          expect(await echoed(open as number, 'no HTTP\n')).toBe('no HTTP\n');
          expect(await echoed(closed as number, 'anything')).toBe('');
        } finally {
          lines[Symbol.dispose]();
        }
      });
    });

    test('a user who may only get pods/exec may not run commands', { timeout: slow }, async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'readers', program);
      await kubectl.apply(pod);
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/web', '--timeout=20s');
      await kubectl.succeed('create', 'role', 'reader', '--verb=get', '--resource=pods,pods/exec');
      await kubectl.succeed('create', 'rolebinding', 'reader', '--role=reader', '--user=jane');
      expect(await kubectl.fail('exec', 'web', '--as', 'jane', '--', 'true')).toContain(
        'User "jane" cannot create resource "pods/exec"',
      );
    });
  });

/** The local ports, in the order in which they were requested. */
async function forwardedPorts(lines: AsyncIterable<string>, count: number): Promise<number[]> {
  const ports: number[] = [];
  for await (const line of lines) {
    const port = /^Forwarding from 127\.0\.0\.1:(\d+) ->/.exec(line)?.[1];
    if (port !== undefined) ports.push(Number(port));
    if (ports.length === count) return ports;
  }
  throw new Error('kubectl ended before it forwarded');
}

/** What comes back until the other side closes. */
function echoed(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    const socket = createConnection(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', (chunk) => {
      got += chunk;
    });
    socket.on('close', () => resolve(got));
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(got) : reject(error)));
  });
}
