import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Outcome, run } from '../run.js';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../../apps/coracle/dist');
const version = ['version', '--client'];
const timeout = 60_000;

/** Prints the built-in modules that were loaded after the launcher began, on standard error. */
const listModules = `const before = new Set(process.moduleLoadList);
const list = () => process.moduleLoadList.filter((one) => !before.has(one)).join('\\n');
process.on('exit', () => require('node:fs').writeSync(2, list()));`;

describe('the start of kubectl', () => {
  let home: string;
  let cache: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'coracle-start-'));
    cache = join(home, '.kube/cache/coracle');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function kubectl(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    return run(process.execPath, [join(dist, 'kubectl.js'), ...args], { env: { HOME: home, KUBECONFIG: '', ...env } });
  }
  const ok = { code: 0, stdout: expect.stringMatching(/^Client Version: v1\.36/), stderr: '' };
  const cached = () => readdirSync(cache).filter((name) => name.startsWith('kubectl-version-'));

  test(
    'loads neither the network nor gRPC for a command that needs none',
    async () => {
      const preload = join(home, 'list-modules.cjs');
      writeFileSync(preload, listModules);
      const { stderr } = await kubectl(version, { NODE_OPTIONS: `--require ${preload}` });
      const loaded = stderr.split('\n').map((line) => line.replace(/^\S+ /, ''));
      expect(loaded).toContain('vm');
      for (const heavy of ['http', 'https', 'http2', 'tls', 'crypto', 'child_process', 'net'])
        expect(loaded).not.toContain(heavy);
      expect(loadedChunks()).toBeLessThan(30);
      // An import through the index of a package loads several times as much.
      expect(statSync(join(cache, cached()[0] ?? '')).size).toBeLessThan(200_000);
      expect(packedText()).not.toContain('@grpc');
    },
    timeout,
  );

  test(
    'writes V8’s compiled code once, for its user alone',
    async () => {
      expect(await kubectl(version)).toEqual(ok);
      expect(statSync(cache).mode & 0o777).toBe(0o700);
      const [file = ''] = cached();
      expect(statSync(join(cache, file)).mode & 0o777).toBe(0o600);
      const before = statSync(join(cache, file)).mtimeMs;
      expect(await kubectl(version)).toEqual(ok);
      expect(cached()).toEqual([file]);
      expect(statSync(join(cache, file)).mtimeMs).toBe(before);
    },
    timeout,
  );

  test(
    'writes it again after a failed run, and not for unknown commands',
    async () => {
      expect((await kubectl(['version', '--client', '--output=xml'])).code).toBe(1);
      const [file = ''] = cached();
      const failed = readFileSync(join(cache, file));
      expect(await kubectl(version)).toEqual(ok);
      expect(readFileSync(join(cache, file)).equals(failed)).toBe(false);
      expect((await kubectl(['no-such-command'])).code).toBe(1);
      expect(readdirSync(cache).filter((name) => name.includes('no-such'))).toEqual([]);
    },
    timeout,
  );

  test.each([
    { name: 'bytes in the middle are wrong', damage: (bytes: Buffer) => bytes.fill(0x55, bytes.length >> 1) },
    { name: 'the index is wrong', damage: (bytes: Buffer) => bytes.fill(0x7b, 10, 60) },
    { name: 'it is cut off', damage: (bytes: Buffer) => bytes.subarray(0, bytes.length >> 2) },
    { name: 'it is empty', damage: () => Buffer.alloc(0) },
    { name: 'it is another file', damage: () => Buffer.from('0000000004{"a":') },
  ])(
    'a cache does no harm and is replaced when $name',
    async ({ damage }) => {
      await kubectl(version);
      const [file = ''] = cached();
      const damaged = damage(readFileSync(join(cache, file)));
      writeFileSync(join(cache, file), damaged);
      expect(await kubectl(version)).toEqual(ok);
      expect(readFileSync(join(cache, file)).equals(damaged)).toBe(false);
      expect(await kubectl(version)).toEqual(ok);
    },
    timeout,
  );

  test(
    'a directory that others may write to, a link and a directory that cannot be created are not used',
    async () => {
      mkdirSync(cache, { recursive: true });
      chmodSync(cache, 0o777);
      expect(await kubectl(version)).toEqual(ok);
      expect(readdirSync(cache)).toEqual([]);

      rmSync(cache, { recursive: true });
      const elsewhere = join(home, 'elsewhere');
      mkdirSync(elsewhere, { mode: 0o700 });
      symlinkSync(elsewhere, cache);
      expect(await kubectl(version)).toEqual(ok);
      expect(readdirSync(elsewhere)).toEqual([]);

      expect(await kubectl(version, { KUBECACHEDIR: '/dev/null/cache' })).toEqual(ok);
      expect(await kubectl(version, { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(ok);
    },
    timeout,
  );

  function loadedChunks(): number {
    const text = readFileSync(join(cache, cached()[0] ?? ''), 'latin1');
    const index = JSON.parse(text.slice(10, 10 + Number(text.slice(0, 10)))) as { readonly chunks: object };
    return Object.keys(index.chunks).length;
  }
});

function packedText(): string {
  return readFileSync(join(dist, 'kubectl.pack'), 'latin1');
}
