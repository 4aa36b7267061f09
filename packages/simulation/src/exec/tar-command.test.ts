import { seededRandom, VirtualClock } from '@coracle/base';
import { readTar, type TarEntry, writeTar } from '@coracle/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesFile, ContainerFiles, textFile } from '../files/container-files.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { tar } from './tar-command.js';

function emptyFiles() {
  return new ContainerFiles({ disk: new SimulatedDisk(), mounts: [], readonlyRoot: false, hostname: 'web' });
}

async function* once(chunks: Iterable<Uint8Array>) {
  yield* chunks;
}

async function run(files: ContainerFiles, args: readonly string[], entries: Iterable<TarEntry> = []) {
  const output: Uint8Array[] = [];
  let complaint = '';
  const code = await tar({
    args,
    environment: {},
    random: seededRandom(7),
    user: { uid: 0, gid: 0, groups: [] },
    clock: new VirtualClock(),
    files,
    streams: {
      stdin: once(writeTar(entries)),
      stdout: (chunk) => void output.push(chunk),
      stderr: (chunk) => {
        complaint += new TextDecoder().decode(chunk);
      },
      signal: new AbortController().signal,
    },
  });
  return { code, complaint, output };
}

async function entriesOf(output: readonly Uint8Array[]) {
  const entries: string[] = [];
  for await (const { name, type, data } of readTar(once(output)))
    entries.push(type === 'file' ? `${name}: ${new TextDecoder().decode(data)}` : name);
  return entries;
}

describe('tar in simulated containers', () => {
  test('unpacks the archive of kubectl cp into an existing folder', async () => {
    const files = emptyFiles();
    const entries: TarEntry[] = [
      { name: 'site', type: 'directory' },
      { name: 'site/pages/index.html', type: 'file', data: new TextEncoder().encode('<p>') },
    ];
    expect((await run(files, ['-xmf', '-', '-C', '/tmp'], entries)).code).toBe(0);
    expect(files.list('/tmp/site')).toEqual(['pages']);
    expect(await files.read('/tmp/site/pages/index.html')).toEqual(new TextEncoder().encode('<p>'));
    expect(await run(files, ['-xmf', '-', '-C', '/nowhere'], entries)).toMatchObject({
      code: 2,
      complaint: 'tar: /nowhere: Cannot open: No such file or directory\n',
    });
  });

  test('packs folders, with names that do not begin with a slash', async () => {
    const files = emptyFiles();
    files.makeDirectory('/data/empty');
    files.write('/data/a', textFile('A'));
    const { code, output, complaint } = await run(files, ['cf', '-', '/data']);
    expect(code).toBe(0);
    expect(complaint).toBe("tar: Removing leading `/' from member names\n");
    expect(await entriesOf(output)).toEqual(['data/', 'data/a: A', 'data/empty/']);
    expect(await entriesOf((await run(files, ['cf', '-', '-C', '/data', 'a'])).output)).toEqual(['a: A']);
  });

  test.each([
    [['cf', '-', '/nothing'], 'tar: /nothing: Cannot stat: No such file or directory\n'],
    [['cf', '/tmp/archive', '/etc'], 'tar: You must specify'],
    [['-v'], 'tar: You must specify'],
  ])('reports the error in %j', async (args, problem) => {
    const { code, complaint } = await run(emptyFiles(), args);
    expect(code).toBe(2);
    expect(complaint).toContain(problem);
  });

  test('packs and unpacks the same files', async () => {
    const name = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,120}){0,2}$/);
    await fc.assert(
      fc.asyncProperty(name, fc.uint8Array({ maxLength: 2_000 }), async (path, data) => {
        const files = emptyFiles();
        await run(files, ['xf', '-', '-C', '/tmp'], [{ name: path, type: 'file', data }]);
        const { output } = await run(files, ['cf', '-', '-C', '/tmp', path]);
        for await (const entry of readTar(once(output)))
          expect({ name: entry.name, data: entry.data }).toEqual({ name: path, data });
      }),
    );
  });
});

describe('the files of a container', () => {
  test('K19.5 show volumes at their mount points, and only writable ones can be written', async () => {
    const disk = new SimulatedDisk();
    const volumes = '/var/lib/kubelet/pods/u/volumes';
    const directory = `${volumes}/kubernetes.io~configmap/c`;
    await disk.setUp({ kind: 'files', directory, medium: 'disk', files: new Map([['dir/key', textFile('v')]]) });
    const files = new ContainerFiles({
      disk,
      readonlyRoot: true,
      hostname: 'web',
      mounts: [
        { containerPath: '/etc/app', hostPath: `${volumes}/kubernetes.io~configmap/c` },
        { containerPath: '/data', hostPath: `${volumes}/kubernetes.io~empty-dir/e/part` },
      ],
    });
    expect(files.list('/etc/app')).toEqual(['dir']);
    expect(await files.read('/etc/app/dir/key')).toEqual(new TextEncoder().encode('v'));
    expect(() => files.write('/etc/app/x', textFile(''))).toThrow('Read-only file system');
    expect(() => files.write('/tmp/x', textFile(''))).toThrow('Read-only file system');
    files.makeDirectory('/data');
    files.makeDirectory('/data/sub');
    files.write('/data/sub/x', bytesFile(new Uint8Array(7)));
    expect(await disk.measure(`${volumes}/kubernetes.io~empty-dir/e`)).toMatchObject({ bytes: 7 });
    await disk.tearDown('/var/lib/kubelet/pods/u');
    expect(files.at('/etc/app/dir/key')).toBeUndefined();
  });
});
