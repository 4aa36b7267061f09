import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { TokenClient } from './token-client.js';

const isSoak = process.env['CORACLE_SOAK'] !== undefined;
const count = isSoak ? 10_000 : 200;
const folder = mkdtempSync(join(tmpdir(), 'coracle-rotation-'));
const config = join(folder, 'encryption.yaml');
const tokens = join(folder, 'tokens.csv');
const dataDir = join(folder, 'data');
writeFileSync(tokens, 'root-token,root,1,system:masters\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names by which the keys are found in the database. */
const oldKey = { name: 'keyofyesterday', secret: randomBytes(32).toString('base64') };
const newKey = { name: 'keyoftomorrow', secret: randomBytes(32).toString('base64') };

function writeConfig(...keys: readonly (typeof oldKey)[]): void {
  const resources = [{ resources: ['secrets'], providers: [{ aesgcm: { keys } }] }];
  const value = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
  writeFileSync(config, JSON.stringify(value));
}

const start = () =>
  RunningCluster.start({
    command: ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0'],
    flags: [
      '--token-auth-file',
      tokens,
      '--encryption-provider-config',
      config,
      '--encryption-provider-config-automatic-reload',
    ],
    dataDir,
  });

const secrets = '/api/v1/namespaces/default/secrets';
const asRoot = { token: 'root-token' };
const database = () => readFileSync(join(dataDir, 'db', 'data.mdb'));

/** What is in the database though it should not be. Random text is found there whether values are compressed or not. */
function exposed(plain: readonly string[]): string[] {
  const bytes = database();
  return plain.filter(
    (text) => bytes.includes(text) || bytes.includes(Buffer.from(text).toString('base64').slice(0, 32)),
  );
}

async function inParallel(many: number, act: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < many) await act(next++);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
}

class Rotation {
  readonly client: TokenClient;
  readonly #plain: readonly string[];

  constructor(client: TokenClient, plain: readonly string[]) {
    this.client = client;
    this.#plain = plain;
  }

  create(): Promise<void> {
    return inParallel(count, (i) =>
      this.client.must('POST', secrets, {
        ...asRoot,
        body: { metadata: { name: `s${i}` }, stringData: { value: this.#plain[i] } },
      }),
    );
  }

  /**
   * As `kubectl get secrets -o json | kubectl replace -f -` does it; secrets that the load deletes meanwhile need not
   * be written.
   */
  async rewrite(): Promise<void> {
    const { body } = await this.client.must('GET', secrets, asRoot);
    const items: readonly { readonly metadata: { readonly name: string } }[] = body.items;
    await inParallel(items.length, async (i) => {
      const path = `${secrets}/${items[i]?.metadata.name}`;
      const answer = await this.client.send('PUT', path, { ...asRoot, body: items[i] });
      if (answer.status !== 200 && !path.includes('/load-')) throw new Error(`${path}: ${answer.text}`);
    });
  }

  async lost(): Promise<string[]> {
    const { body } = await this.client.must('GET', secrets, asRoot);
    const byName = new Map<string, string>(
      body.items.map((item: { metadata: { name: string }; data?: { value?: string } }) => [
        item.metadata.name,
        String(Buffer.from(item.data?.value ?? '', 'base64')),
      ]),
    );
    return this.#plain.flatMap((text, i) => (byName.get(`s${i}`) === text ? [] : [`s${i}`]));
  }

  /** Writes until the database shows that a key is used. */
  async untilUsed(key: string): Promise<void> {
    const end = Date.now() + 120_000;
    while (!database().includes(key)) {
      if (Date.now() > end) throw new Error(`the key ${key} was not used`);
      await this.client.must('POST', secrets, { ...asRoot, body: { metadata: { generateName: 'probe-' } } });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Creates, reads and deletes secrets until it is stopped; counts failures. */
function load(client: TokenClient): { stop(): Promise<number> } {
  let isOver = false;
  const worker = async (id: number): Promise<number> => {
    let failures = 0;
    for (let i = 0; !isOver; i++) {
      const name = `load-${id}-${i}`;
      const body = { metadata: { name }, stringData: { value: name } };
      const made = await client.send('POST', secrets, { ...asRoot, body });
      const read = await client.send('GET', `${secrets}/${name}`, asRoot);
      const gone = await client.send('DELETE', `${secrets}/${name}`, asRoot);
      if (made.status !== 201 || read.status !== 200 || gone.status !== 200) failures++;
    }
    return failures;
  };
  const workers = [0, 1, 2].map(worker);
  return {
    stop: async () => {
      isOver = true;
      return (await Promise.all(workers)).reduce((sum, failures) => sum + failures, 0);
    },
  };
}

test(`the key of ${count} secrets is rotated under load: nothing is lost, and the database has no plain text`, {
  timeout: isSoak ? 1_800_000 : 300_000,
}, async () => {
  const plain = Array.from({ length: count }, () => randomBytes(36).toString('base64url'));
  writeConfig(oldKey);
  {
    await using cluster = await start();
    using client = new TokenClient(cluster);
    const rotation = new Rotation(client, plain);
    await rotation.create();
    expect(exposed(plain)).toEqual([]);
    const busy = load(client);
    writeConfig(newKey, oldKey);
    await rotation.untilUsed(newKey.name);
    await rotation.rewrite();
    expect(await busy.stop()).toBe(0);
    expect(await rotation.lost()).toEqual([]);
    await cluster.stop();
  }
  writeConfig(newKey);
  await using cluster = await start();
  using client = new TokenClient(cluster);
  expect(await new Rotation(client, plain).lost()).toEqual([]);
  expect(exposed(plain)).toEqual([]);
});

test('the search finds plain text in the database', { timeout: 120_000 }, async () => {
  await using cluster = await start();
  using client = new TokenClient(cluster);
  const text = randomBytes(36).toString('base64url');
  const body = { metadata: { name: 'plain' }, data: { value: text } };
  await client.must('POST', '/api/v1/namespaces/default/configmaps', { ...asRoot, body });
  expect(exposed([text])).toEqual([text]);
});
