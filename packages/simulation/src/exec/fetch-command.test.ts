import { seededRandom, VirtualClock } from '@coracle/base';
import { expect, test } from 'vitest';
import { ContainerFiles } from '../files/container-files.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { findCommand } from './commands.js';
import { isFetching } from './fetch-command.js';

const failures: Readonly<Record<string, string>> = { nobody: 'ENOTFOUND', closed: 'ECONNREFUSED', far: 'ETIMEDOUT' };

async function answer(request: Request): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  const code = failures[hostname];
  if (code !== undefined) throw Object.assign(new Error(code), { code });
  if (pathname === '/missing') return new Response('no such page', { status: 404, statusText: 'Not Found' });
  const about = [request.method, request.url, request.headers.get('x-a') ?? '', await request.text()];
  return new Response(`${about.filter((part) => part !== '').join(' ')}\n`);
}

async function outcomeOf(line: string) {
  const output = { stdout: '', stderr: '' };
  const write = (name: keyof typeof output) => (chunk: Uint8Array) => {
    output[name] += new TextDecoder().decode(chunk);
  };
  const files = new ContainerFiles({ disk: new SimulatedDisk(), mounts: [], readonlyRoot: false, hostname: 'a' });
  const streams = { stdin: none(), stdout: write('stdout'), stderr: write('stderr'), signal: neverAborted };
  const run = findCommand(line.split(' '));
  const code = await run?.({
    environment: {},
    clock: new VirtualClock(),
    streams,
    files,
    fetch: answer,
    random: seededRandom(1),
    user: { uid: 0, gid: 0, groups: [] },
  });
  return { ...output, code, files };
}

async function* none(): AsyncGenerator<Uint8Array> {}
const neverAborted = new AbortController().signal;

test.each([
  ['wget -qO- http://web/x', 'GET http://web/x\n', '', 0],
  ['wget -q -O - web:8080', 'GET http://web:8080/\n', '', 0],
  ['wget --timeout=5 -T 3 -O- --header=X-A:b web', 'GET http://web/ b\n', '', 0],
  ['wget --spider -q web', '', '', 0],
  ['wget -O- web/missing', '', 'wget: server returned error: HTTP/1.1 404 Not Found\n', 1],
  ['wget nobody:8080', '', "wget: bad address 'nobody:8080'\n", 1],
  ['wget closed', '', "wget: can't connect to remote host (closed): Connection refused\n", 1],
  ['wget far', '', 'wget: download timed out\n', 1],
  ['wget', '', 'wget: no URL that a simulated container understands\n', 1],
  ['/usr/bin/curl -s http://web/x', 'GET http://web/x\n', '', 0],
  ['curl -sS -m 2 -XPUT -d body -H X-A:b web', 'PUT http://web/ b body\n', '', 0],
  ['curl -d body web', 'POST http://web/ body\n', '', 0],
  ['curl -s -o /dev/null -w %{http_code} web/missing', '404', '', 0],
  ['curl web/missing', 'no such page', '', 0],
  ['curl -fsS web/missing', '', 'curl: (22) The requested URL returned error: 404\n', 22],
  ['curl nobody', '', 'curl: (6) Could not resolve host: nobody\n', 6],
  ['curl -s nobody', '', '', 6],
  ['curl closed:81', '', 'curl: (7) Failed to connect to closed port 81: Connection refused\n', 7],
  ['curl https://far', '', 'curl: (28) Failed to connect to far port 443: Connection timed out\n', 28],
])('%s', async (line, stdout, stderr, code) => {
  expect(await outcomeOf(line)).toMatchObject({ stdout, stderr, code });
});

test('wget saves what it gets', async () => {
  const { files, stdout } = await outcomeOf('wget http://web/page.txt');
  expect([stdout, new TextDecoder().decode(await files.read('/page.txt'))]).toEqual(['', 'GET http://web/page.txt\n']);
});

test.each([
  [['wget', 'web:80'], true],
  [['/usr/bin/curl', '-s', 'http://web'], true],
  [['wget'], false],
  [['sh', '-c', 'wget web'], false],
])('%j is a request: %s', (command, expected) => {
  expect(isFetching(command)).toBe(expected);
});
