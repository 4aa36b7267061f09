import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { bytesFile, ContainerFiles } from '../files/container-files.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { findCommand, isSimulated, readsInput } from './commands.js';

const environment = { HOSTNAME: 'web', COLOUR: 'dark red' };

async function* input(text: string) {
  for (const part of text.split(/(?<=,)/)) yield new TextEncoder().encode(part.replace(',', ''));
}

function someFiles() {
  const files = new ContainerFiles({ disk: new SimulatedDisk(), mounts: [], readonlyRoot: false, hostname: 'web' });
  files.write('/etc/motd', bytesFile(new TextEncoder().encode('welcome\n')));
  return files;
}

function around() {
  return { environment, files: someFiles(), random: seededRandom(7), user: { uid: 1001, gid: 0, groups: [2000] } };
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
  const running = findCommand(command)?.({ ...around(), clock, streams });
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
    { command: ['sh', '-c', 'echo gone > /tmp/file; echo "a;b" # not here'], stdout: 'a;b\n', code: 0 },
    { command: ['sh', '-c', 'nope --flag'], stderr: 'sh: nope: not found\n', code: 127 },
    { command: ['sh', '-c', 'sh -c "exit 4"'], code: 4 },
    { command: ['sh', '-c', 'cat << EOF'], stderr: 'sh: this is more than a simulated shell understands\n', code: 2 },
    { command: ['sh'], stdin: 'echo one\necho tw,o\nexit 5\necho never\n', stdout: 'one\ntwo\n', code: 5 },
  ];
  test.each(cases)('$command', async ({ command, stdin, stdout = '', stderr = '', code }) => {
    expect(await outcomeOf(command, stdin)).toEqual({ stdout, stderr, code });
  });

  const simulated = [
    { command: ['sleep', '3600'], is: true },
    { command: ['/bin/sh', '-ec', 'sleep 2; false'], is: true },
    { command: ['sh', '-c', 'while :; do sleep 1; done'], is: true },
    { command: ['sh', '-c', 'sh -c "exec sleep 1"'], is: true },
    { command: ['sh', '-c', 'greet() { echo hi; }; greet'], is: true },
    { command: ['sh', '-c', "wc -l /f | awk '{print $1}'"], is: true },
    { command: ['sh', '-c', "awk '{ sum += $1 } END { print sum }'"], is: false },
    { command: ['sh', '-c', 'until nslookup db; do sleep 1; done'], is: false },
    { command: ['sh', '-c', 'echo $(date | openssl sha1)'], is: false },
    { command: ['sh', '-c', '$COMMAND'], is: false },
    { command: ['sh', '-c', 'exec nginx'], is: false },
    { command: ['sh', '-c', 'trap stop TERM; sleep 9'], is: false },
    { command: ['sh', '-c', 'if true; then'], is: false },
    { command: ['sleep', 'long'], is: false },
    { command: ['sh', 'script.sh'], is: false },
    { command: ['sh'], is: false },
    { command: ['nginx'], is: false },
    { command: [], is: false },
  ];
  test.each(simulated)('$command is simulated as a whole: $is', ({ command, is }) => {
    expect(isSimulated(command)).toBe(is);
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
      ...around(),
      clock: new VirtualClock(),
      streams,
    });
    gone.abort();
    expect(await running).toBe(137);
  });
});
