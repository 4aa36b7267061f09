import { VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { bytesFile, ContainerFiles } from '../files/container-files.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { findCommand, readsInput } from './commands.js';

const environment = { HOSTNAME: 'web', COLOUR: 'dark red' };

async function* input(text: string) {
  for (const part of text.split(/(?<=,)/)) yield new TextEncoder().encode(part.replace(',', ''));
}

function someFiles() {
  const files = new ContainerFiles({ disk: new SimulatedDisk(), mounts: [], readonlyRoot: false, hostname: 'web' });
  files.write('/etc/motd', bytesFile(new TextEncoder().encode('welcome\n')));
  return files;
}

/** What a command writes and ends with; time passes as it needs. */
async function outcomeOf(command: readonly string[], stdin = '') {
  const clock = new VirtualClock();
  const output = { stdout: '', stderr: '' };
  const write = (name: keyof typeof output) => (chunk: Uint8Array) => {
    output[name] += new TextDecoder().decode(chunk);
  };
  const streams = {
    stdin: input(stdin),
    stdout: write('stdout'),
    stderr: write('stderr'),
    signal: new AbortController().signal,
  };
  const running = findCommand(command)?.({ environment, clock, streams, files: someFiles() });
  await clock.advance(60_000);
  return { ...output, code: await running };
}

describe('commands in simulated containers', () => {
  const cases = [
    { command: ['true'], code: 0 },
    { command: ['/bin/false'], code: 1 },
    { command: ['echo', 'a', 'b'], stdout: 'a b\n', code: 0 },
    { command: ['echo', '-n', '-e', 'a\\tb'], stdout: 'a\tb', code: 0 },
    { command: ['echo', '-n'], stdout: '', code: 0 },
    { command: ['hostname'], stdout: 'web\n', code: 0 },
    { command: ['env'], stdout: 'HOSTNAME=web\nCOLOUR=dark red\n', code: 0 },
    { command: ['printenv', 'COLOUR'], stdout: 'dark red\n', code: 0 },
    { command: ['printenv', 'NONE'], code: 1 },
    { command: ['printenv', 'toString'], code: 1 },
    { command: ['cat'], stdin: 'one,two', stdout: 'onetwo', code: 0 },
    { command: ['cat', '/etc/passwd'], stderr: 'cat: /etc/passwd: No such file or directory\n', code: 1 },
    { command: ['cat', '/etc/hostname', '/etc/motd'], stdout: 'web\nwelcome\n', code: 0 },
    { command: ['ls', '/etc'], stdout: 'hostname\nmotd\n', code: 0 },
    { command: ['ls', '/nowhere'], stderr: 'ls: /nowhere: No such file or directory\n', code: 1 },
    { command: ['test', '-d', '/etc'], code: 0 },
    { command: ['test', '-d', '/etc/motd'], code: 1 },
    { command: ['sh', '-c', '[ -f /etc/motd ] && echo yes'], stdout: 'yes\n', code: 0 },
    { command: ['sh', '-c', 'echo a > /tmp/x; echo b >> /tmp/x; cat /tmp/x'], stdout: 'a\nb\n', code: 0 },
    {
      command: ['sh', '-c', 'mkdir -p /data/deep && touch /data/deep/f && ls /data/deep && rm -rf /data && ls /data'],
      stdout: 'f\n',
      stderr: 'ls: /data: No such file or directory\n',
      code: 1,
    },
    {
      command: ['sh', '-c', 'echo x > /nowhere/x'],
      stderr: "sh: can't create /nowhere/x: No such file or directory\n",
      code: 1,
    },
    { command: ['sleep', '5'], code: 0 },
    { command: ['sleep', 'long'], stderr: "sleep: invalid time interval 'long'\n", code: 1 },
    { command: ['sh', '-c', 'exit 7'], code: 7 },
    { command: ['sh', '-c', 'echo out; echo err >&2; exit 3'], stdout: 'out\n', stderr: 'err\n', code: 3 },
    { command: ['sh', '-c', 'false && echo no || echo yes'], stdout: 'yes\n', code: 0 },
    {
      command: ['sh', '-c', `echo "$HOSTNAME is $\{COLOUR}" '$COLOUR' > /dev/stdout`],
      stdout: 'web is dark red $COLOUR\n',
      code: 0,
    },
    { command: ['sh', '-c', 'echo gone > /tmp/file; echo "a;b" # not here'], stdout: 'a;b # not here\n', code: 0 },
    { command: ['sh', '-c', 'nope --flag'], stderr: 'sh: nope: not found\n', code: 127 },
    { command: ['sh', '-c', 'sh -c "exit 4"'], code: 4 },
    { command: ['sh', '-c', 'ls | wc'], stderr: 'sh: this is more than a simulated shell understands\n', code: 2 },
    { command: ['sh'], stdin: 'echo one\necho tw,o\nexit 5\necho never\n', stdout: 'one\ntwo\n', code: 5 },
  ];
  test.each(cases)('$command', async ({ command, stdin, stdout = '', stderr = '', code }) => {
    expect(await outcomeOf(command, stdin)).toEqual({ stdout, stderr, code });
  });

  test.each([[['nginx']], [['exit', '1']], [[]], [['./script']], [['constructor']]])('%j is no program', (command) => {
    expect(findCommand(command)).toBeUndefined();
  });

  test.each([
    [['sh'], true],
    [['sh', '-c', 'true'], false],
    [['cat'], true],
    [['cat', '/etc/motd'], false],
    [['echo'], false],
  ])('%j reads its input: %j', (command, reads) => {
    expect(readsInput(command)).toBe(reads);
  });

  test('a client that disconnects ends its command', async () => {
    const gone = new AbortController();
    const streams = { stdin: input(''), stdout() {}, stderr() {}, signal: gone.signal };
    const running = findCommand(['sleep', 'infinity'])?.({
      environment,
      clock: new VirtualClock(),
      streams,
      files: someFiles(),
    });
    gone.abort();
    expect(await running).toBe(137);
  });
});
