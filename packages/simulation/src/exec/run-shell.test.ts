import { seededRandom, VirtualClock } from '@coracle/base';
import { describe, expect, test } from 'vitest';
import { ContainerFiles } from '../files/container-files.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { findCommand } from './commands.js';

/** What `sh -c` writes and ends with, and when; `undefined` as code if it still runs after an hour. */
async function outcomeOf(script: string, { args = [] as string[], readonlyRoot = false } = {}) {
  const clock = new VirtualClock();
  const output = { stdout: '', stderr: '' };
  const write = (name: keyof typeof output) => (chunk: Uint8Array) => {
    output[name] += new TextDecoder().decode(chunk);
  };
  const stop = new AbortController();
  const begin = clock.now();
  let end: { code: number; afterMs: number } | undefined;
  const running = findCommand(['/bin/sh', '-c', script, ...args])?.({
    environment: { HOSTNAME: 'web', INDEX: '3' },
    files: new ContainerFiles({ disk: new SimulatedDisk(), mounts: [], readonlyRoot, hostname: 'web' }),
    random: seededRandom(7),
    user: { uid: 1001, gid: 0, groups: [2000] },
    clock,
    streams: {
      stdin: (async function* () {})(),
      stdout: write('stdout'),
      stderr: write('stderr'),
      signal: stop.signal,
    },
  }).then((code) => {
    end = { code, afterMs: clock.now() - begin };
  });
  await clock.advance(3_600_000);
  const ended = end;
  stop.abort();
  await running;
  return { ...output, code: ended?.code, afterMs: ended?.afterMs };
}

describe('scripts of the simulated shell', () => {
  const cases = [
    { what: 'if', script: 'if [ $(expr $INDEX % 2) -ne 0 ]; then exit 1; else exit 0; fi', code: 1 },
    {
      what: 'elif over lines',
      script: 'if false\nthen\n\techo a\nelif [[ $INDEX -eq 3 ]]\nthen\n\techo b\nelse\n\techo c\nfi',
      stdout: 'b\n',
    },
    {
      what: 'a file that is not there yet',
      script: 'if [[ -r /tmp/foo ]]; then exit 0; else touch /tmp/foo; exit 1; fi',
      code: 1,
    },
    {
      what: 'while, break and continue',
      script:
        'i=0; while true; do i=$((i + 1)); if [ $i -eq 2 ]; then continue; fi; [ $i -gt 3 ] && break; echo $i; done',
      stdout: '1\n3\n',
    },
    {
      what: 'break out of two loops',
      script: 'for a in 1 2; do for b in x y; do echo $a$b; break 2; done; done; echo end',
      stdout: '1x\nend\n',
    },
    {
      what: 'until',
      script: 'n=3; until [ $n = 0 ]; do n=$((n-1)); sleep 1; done; echo done',
      stdout: 'done\n',
      afterMs: 3_000,
    },
    {
      what: 'for over words and the output of a command',
      script: 'for i in a "b c" $(seq 2); do echo "<$i>"; done',
      stdout: '<a>\n<b c>\n<1>\n<2>\n',
    },
    {
      what: 'for over arguments',
      script: 'for i; do echo $i; done; echo $# $0',
      args: ['me', 'x', 'y z'],
      stdout: 'x\ny z\n2 me\n',
    },
    {
      what: 'case',
      script: 'case $HOSTNAME in db|cache) echo no;; w*b) echo yes;; *) echo other;; esac',
      stdout: 'yes\n',
    },
    {
      what: 'functions, their arguments and results',
      script: 'f() { echo "$1-$2"; return 4; }\nf a b; echo $?',
      stdout: 'a-b\n4\n',
    },
    { what: 'pipelines', script: 'seq 5 | tail -n 2 | while read x; do echo "got $x"; done', stdout: 'got 4\ngot 5\n' },
    { what: 'the exit code of a pipeline', script: 'true | false', code: 1 },
    { what: '! inverts', script: '! false && echo yes', stdout: 'yes\n' },
    { what: 'a group into a file', script: '{ echo a; echo b; } > /tmp/f; wc -l < /tmp/f', stdout: '2\n' },
    { what: 'a subshell keeps its variables to itself', script: 'x=1; (x=2; echo $x); echo $x', stdout: '2\n1\n' },
    {
      what: 'counting in a file',
      script:
        "f=/tmp/c\ncount=$(echo 'hello' >> $f ; wc -l $f | awk {'print $1'})\nif [ $count -eq 1 ]; then\n\texit 7\nfi",
      code: 7,
    },
    {
      what: 'defaults and trimming',
      script: `p=/a/b.txt; echo $\{none:-x} $\{p##*/} $\{p%.*} $\{#p} "$\{none:-a  b}"`,
      stdout: 'x b.txt /a/b 8 a  b\n',
    },
    {
      what: 'arithmetic',
      script: 'echo $((2 + 3 * 4)) $(( (7 - 1) / 4 )) $((5 % 3 == 2 ? 10 : 20)) `expr 7 / 2`',
      stdout: '14 1 10 3\n',
    },
    { what: 'a division by zero', script: 'echo $((1 / 0))', stderr: '/bin/sh: divide by zero\n', code: 1 },
    {
      what: 'a variable for one command',
      script: 'X=wrong echo "$X"; X=2 printenv X; printenv X',
      stdout: '\n2\n',
      code: 1,
    },
    { what: 'exported variables', script: 'A=1; export B=2; printenv A; printenv B', stdout: '2\n' },
    {
      what: 'values with spaces are split without quotes',
      script: 'v="a  b"; echo $v; echo "$v"',
      stdout: 'a b\na  b\n',
    },
    {
      what: 'patterns of files',
      script: 'touch /tmp/b.log /tmp/a.log /tmp/c.txt; echo /tmp/*.log; echo /tmp/*.none; echo "/tmp/*.log"',
      stdout: '/tmp/a.log /tmp/b.log\n/tmp/*.none\n/tmp/*.log\n',
    },
    {
      what: 'standard error into standard output',
      script: 'cat /none 2>&1 | wc -l; cat /none 2> /dev/null',
      stdout: '1\n',
      code: 1,
    },
    { what: 'set -e', script: 'set -e; false || true; if false; then :; fi; false; echo never', code: 1 },
    {
      what: 'a file system that is read-only',
      script: 'echo test > /file; sleep 240',
      readonlyRoot: true,
      stderr: "/bin/sh: can't create /file: Read-only file system\n",
      afterMs: 240_000,
    },
    { what: 'the background', script: 'sleep 5 & echo now; wait; echo later', stdout: 'now\nlater\n', afterMs: 5_000 },
    { what: 'exec', script: 'exec sleep 2; echo never', afterMs: 2_000 },
    { what: 'id', script: 'id; id -u', stdout: 'uid=1001 gid=0(root) groups=0(root),2000\n1001\n' },
    { what: 'a nap of many days', script: 'sleep 1000000', code: undefined, afterMs: undefined },
    { what: 'a loop that never waits', script: 'while :; do :; done', code: undefined, afterMs: undefined },
    { what: 'tail -f /dev/null', script: 'tail -f /dev/null', code: undefined, afterMs: undefined },
  ];
  test.each(cases)('$what', async (expected) => {
    const { what, script, args, readonlyRoot, ...rest } = expected;
    const options = { ...(args && { args }), ...(readonlyRoot && { readonlyRoot }) };
    expect(await outcomeOf(script, options)).toEqual({ stdout: '', stderr: '', code: 0, afterMs: 0, ...rest });
  });
});
