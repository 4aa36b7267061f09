import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomInt, seededRandom } from '@coracle/base';
import { afterAll, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { TokenClient } from './token-client.js';

const folder = mkdtempSync(join(tmpdir(), 'coracle-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef: { readonly resource: string; readonly name?: string };
  readonly responseStatus: { readonly code: number };
  readonly responseObject?: Stored;
}

interface Stored {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

const path = '/api/v1/namespaces/default/configmaps';
const asRoot = { token: 'root-token' };

/** Creates, updates, patches and deletes at random; some of it is refused. */
async function seededRun(client: TokenClient, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const worker = async () => {
    for (let i = 0; i < 60; i++) {
      const name = `c${randomInt(random, 25)}`;
      const data = { value: String(random.next()) };
      const acts = [
        () => client.send('POST', path, { ...asRoot, body: { metadata: { name }, data } }),
        () => client.send('PUT', `${path}/${name}`, { ...asRoot, body: { metadata: { name }, data } }),
        () =>
          client.send('PATCH', `${path}/${name}`, {
            ...asRoot,
            body: { data: { [`k${randomInt(random, 9)}`]: 'x' } },
            contentType: 'application/merge-patch+json',
          }),
        () => client.send('DELETE', `${path}/${name}`, asRoot),
        () => client.send('POST', path, { token: 'nobody', body: { metadata: { name: `${name}-refused` } } }),
      ];
      await acts[randomInt(random, acts.length)]?.();
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(worker));
}

/** The objects according to the log: the last write of each name. */
function replay(lines: readonly AuditLine[]): Map<string, Stored> {
  const objects = new Map<string, Stored>();
  const versionOf = (one: Stored) => Number(one.metadata.resourceVersion);
  const removed = new Map<string, number>();
  for (const { verb, objectRef, responseStatus, responseObject } of lines) {
    if (responseStatus.code >= 300) continue;
    const name = objectRef.name ?? responseObject?.metadata.name ?? '';
    if (verb === 'delete') removed.set(name, (removed.get(name) ?? 0) + 1);
    if (verb === 'create') removed.set(name, (removed.get(name) ?? 0) - 1);
    const entry = objects.get(name);
    if (
      responseObject?.kind === 'ConfigMap' &&
      verb !== 'delete' &&
      (!entry || versionOf(entry) < versionOf(responseObject))
    )
      objects.set(name, responseObject);
  }
  // Everything that was deleted as often as it was created is absent.
  for (const [name, balance] of removed) if (balance >= 0) objects.delete(name);
  return objects;
}

test.each([1, 2])(
  'an audit log at RequestResponse replays to the same objects (seed %i)',
  { timeout: 240_000 },
  async (seed) => {
    const policy = join(folder, 'policy.yaml');
    const log = join(folder, `audit-${seed}.log`);
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'root-token,root,1,system:masters\nnobody,nobody,2,none\n');
    const rules = [
      { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
      { level: 'None' },
    ];
    writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));
    await using cluster = await RunningCluster.start({
      command: ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0', '--store', 'memory'],
      flags: ['--token-auth-file', tokens, '--audit-policy-file', policy, '--audit-log-path', log],
    });
    using client = new TokenClient(cluster);
    await seededRun(client, seed);
    const { body } = await client.must('GET', path, asRoot);
    const there = new Map<string, Stored>(body.items.map((item: Stored) => [item.metadata.name, item]));
    await cluster.stop();
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine)
      .filter(
        ({ stage, objectRef, verb }) =>
          stage === 'ResponseComplete' && objectRef.resource === 'configmaps' && verb !== 'list',
      );
    const own = (objects: Map<string, Stored>) =>
      [...objects]
        .filter(([name]) => /^c\d/.test(name))
        .map(([name, { metadata }]) => `${name}@${metadata.resourceVersion}`)
        .sort();
    expect(
      lines.filter(({ user }) => user.username === 'nobody').every(({ responseStatus }) => responseStatus.code === 403),
    ).toBe(true);
    expect(own(replay(lines))).toEqual(own(there));
    expect(own(there).length).toBeGreaterThan(0);
  },
);
