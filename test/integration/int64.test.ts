import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@coracle/cluster';
import type { Processes } from '@coracle/kubectl';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { kubectl } from './kubectl.js';

const timeout = 60_000;
const most = '9223372036854775807';
const nanos = '1763587200123456789';

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clocks.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: clocks, kind: Clock}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Id, type: integer, jsonPath: .spec.id}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties: {id: {type: integer, format: int64}}
          status: {type: object, properties: {timestampNs: {type: integer}}}
`;
const clock = (id: string) => `apiVersion: example.org/v1
kind: Clock
metadata: {name: c}
spec:
  id: ${id}
  others: [-9223372036854775808, ${nanos}, 18446744073709551616, 1.5, 1e3]
`;
const job = `apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  activeDeadlineSeconds: ${most}
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      terminationGracePeriodSeconds: ${most}
      tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: ${most}}]
      containers: [{name: a, image: b}]
`;

let cluster: Cluster;
let folder: string;

const start = () =>
  startCluster({
    listen: false,
    nodes: 1,
    clock: 'virtual',
    store: { kind: 'lmdb', dataDir: folder },
    dataDir: folder,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-int64-'));
  cluster = await start();
  await run(['apply', '-f', 'crd.yaml'], { 'crd.yaml': crd });
  await cluster.settled();
}, timeout);
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(
  words: readonly string[],
  files: Record<string, string> = {},
  processes?: Processes,
): Promise<string> {
  const named = Object.fromEntries(Object.entries(files).map(([name, text]) => [`/project/${name}`, text]));
  const done = await kubectl(cluster, words, { files: named, ...(processes && { processes }) });
  expect([done.code, done.err]).toEqual([0, '']);
  return done.out;
}

const id = () => run(['get', 'clock', 'c', '-o', 'jsonpath={.spec.id}']);

describe('kubectl keeps the digits of an int64', { timeout }, () => {
  beforeEach(async () => {
    await run(['delete', 'clocks', '--all']);
    await run(['create', '-f', 'c.yaml'], { 'c.yaml': clock(most) });
  });

  test.each([
    ['jsonpath={.spec.id} {.spec.others[0]} {.spec.others[2]}', `${most} -9223372036854775808 1.8446744073709552e+19`],
    ['jsonpath={.spec.others}', `[-9223372036854775808,${nanos},18446744073709552000,1.5,1000]`],
    [
      'go-template={{.spec.id}} {{printf "%d" .spec.id}} {{index .spec.others 2}}',
      `${most} ${most} 1.8446744073709552e+19`,
    ],
    [`go-template={{if eq .spec.id ${most}}}same{{end}}`, 'same'],
    ['custom-columns=ID:.spec.id', `ID\n${most}\n`],
    ['json', `"id": ${most},`],
    [
      'yaml',
      `  id: ${most}\n  others:\n  - -9223372036854775808\n  - ${nanos}\n  - 1.8446744073709552e+19\n  - 1.5\n  - 1000\n`,
    ],
    ['kyaml', `id: ${most},`],
    ['wide', `c      ${most}\n`],
  ])('get -o %s', async (output, shown) => {
    expect(await run(['get', 'clock', 'c', '-o', output])).toContain(shown);
  });

  test('describe, filters and --sort-by', async () => {
    expect(await run(['describe', 'clock', 'c'])).toMatch(new RegExp(`Id: +${most}\n`));
    await run(['create', '-f', 'd.yaml'], { 'd.yaml': clock('9223372036854775806').replace('name: c', 'name: d') });
    const words = ['get', 'clocks', '--sort-by=.spec.id', '-o', 'jsonpath={.items[*].metadata.name}'];
    expect(await run(words)).toBe('d c');
    const filter = `jsonpath={.items[?(@.spec.id==${most})].metadata.name}`;
    expect(await run(['get', 'clocks', '-o', filter])).toBe('c');
    const greater = 'jsonpath={.items[?(@.spec.id>9223372036854775806)].metadata.name}';
    expect(await run(['get', 'clocks', '-o', greater])).toBe('c');
  });

  test.each([
    ['merge', '{"spec":{"id":9223372036854775801}}'],
    [
      'json',
      `[{"op":"test","path":"/spec/id","value":${most}},{"op":"replace","path":"/spec/id","value":9223372036854775801}]`,
    ],
  ])('patch --type=%s', async (type, patch) => {
    expect(await run(['patch', 'clock', 'c', `--type=${type}`, '-p', patch])).toBe('clock.example.org/c patched\n');
    expect(await id()).toBe('9223372036854775801');
  });

  test('patch --subresource=status', async () => {
    const patch = `{"status":{"timestampNs":${nanos}}}`;
    await run(['patch', 'clock', 'c', '--type=merge', '--subresource=status', '-p', patch]);
    expect(await run(['get', 'clock', 'c', '-o', 'jsonpath={.status.timestampNs}'])).toBe(nanos);
  });

  test('apply, and apply of another last digit', async () => {
    const apply = (text: string) => run(['apply', '-f', 'c.yaml'], { 'c.yaml': text });
    await run(['delete', 'clock', 'c']);
    expect(await apply(clock(most))).toBe('clock.example.org/c created\n');
    expect(await apply(clock(most))).toBe('clock.example.org/c unchanged\n');
    expect(await apply(clock('9223372036854775806'))).toBe('clock.example.org/c configured\n');
    expect(await id()).toBe('9223372036854775806');
    expect(await run(['apply', 'view-last-applied', 'clock', 'c'])).toContain('id: 9223372036854775806\n');
  });

  test('apply --server-side', async () => {
    const words = ['apply', '--server-side', '--force-conflicts', '-f', 'c.yaml'];
    await run(words, { 'c.yaml': clock('9223372036854775806') });
    expect(await id()).toBe('9223372036854775806');
  });

  test('replace, without a resourceVersion', async () => {
    await run(['replace', '-f', 'c.yaml'], { 'c.yaml': clock('9223372036854775805') });
    expect(await id()).toBe('9223372036854775805');
  });

  test('edit', async () => {
    const files: Record<string, string> = {};
    const processes: Processes = {
      run: async (words) => {
        const path = words.at(-1) as string;
        files[path] = (files[path] as string).replace(`id: ${most}`, 'id: 9223372036854775800');
        return { exitCode: 0, stdout: '' };
      },
      isExecutable: async () => true,
    };
    const done = await kubectl(cluster, ['edit', 'clock', 'c'], { files, processes });
    expect([done.code, done.out]).toEqual([0, 'clock.example.org/c edited\n']);
    expect(await id()).toBe('9223372036854775800');
  });
});

test('objects with such numbers work, and keep them in the store', { timeout }, async () => {
  const files = { 'c.yaml': clock(most), 'j.yaml': job, 'd.yaml': deployment };
  await run(['delete', 'clocks', '--all']);
  await run(['create', '-f', 'c.yaml', '-f', 'j.yaml', '-f', 'd.yaml'], files);
  await cluster.settled();
  const seconds = '{.items[*].spec.terminationGracePeriodSeconds} {.items[*].spec.tolerations[0].tolerationSeconds}';
  const pods = () => run(['get', 'pods', '-l', 'a=b', '-o', `jsonpath=${seconds} {.items[*].status.phase}`]);
  expect(await pods()).toBe(`${most} ${most} Running`);
  await cluster.stop();
  cluster = await start();
  await cluster.settled();
  expect(await id()).toBe(most);
  expect(await run(['get', 'job', 'j', '-o', 'jsonpath={.spec.activeDeadlineSeconds} {.status.succeeded}'])).toBe(
    `${most} 1`,
  );
  expect(await pods()).toBe(`${most} ${most} Running`);
  await run(['delete', 'deployment,job', '--all', '--wait=false']);
  await cluster.clock.advance('10m');
  expect(await run(['get', 'pods,jobs,deployments', '-o', 'name'])).toBe('');
});
