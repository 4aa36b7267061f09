import type { ConfigMap } from '@coracle/api';
import type { OwnerReference } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

const policies = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof policies)[number];

/** Objects in the order of creation; each may be owned by some of the previous ones. */
const families = fc.record({
  owners: fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 2, maxLength: 12 }),
  deletions: fc.array(fc.tuple(fc.nat(11), fc.constantFrom(...policies)), { minLength: 1, maxLength: 5 }),
});

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, nodes: 0, clock: 'virtual' });
});
afterAll(() => cluster.stop());

test('exactly the objects remain that have an owner, never had one, or were orphaned', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(families, async ({ owners, deletions }) => {
      const name = (index: number) => `run${run}-${index}`;
      run++;
      const model = new Model(owners);
      await createAll(model, name);
      for (const [index, policy] of deletions) {
        if (!model.has(index)) continue;
        model.delete(index, policy);
        await cluster.client.configMaps('default').delete(name(index), { propagationPolicy: policy });
        await cluster.clock.advance('2s');
        expect(await stateOf(name)).toEqual(model.state(name));
      }
    }),
    { numRuns: 25, seed: 7 },
  );
});

async function createAll(model: Model, name: (index: number) => string): Promise<void> {
  const made: ConfigMap[] = [];
  for (const [index, owners] of model.all()) {
    const ownerReferences = [...owners].map((owner) => referenceTo(made[owner]));
    made[index] = await cluster.client
      .configMaps('default')
      .create({ metadata: { name: name(index), ownerReferences } });
  }
  await cluster.settled();
}

function referenceTo(owner: ConfigMap | undefined): OwnerReference {
  const { name = '', uid = '' } = owner?.metadata ?? {};
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, blockOwnerDeletion: true };
}

async function stateOf(name: (index: number) => string): Promise<string[]> {
  const { items } = await cluster.client.configMaps('default').list();
  return items
    .filter(({ metadata }) => metadata.name?.startsWith(name(0).slice(0, -1)))
    .map(({ metadata }) =>
      describeObject(
        metadata.name,
        (metadata.ownerReferences ?? []).map((one) => one.name),
      ),
    )
    .sort();
}

function describeObject(name: string | undefined, owners: readonly string[]): string {
  return `${name} of [${[...owners].sort().join(' ')}]`;
}

/** The documented semantics, computed without the machinery. */
class Model {
  readonly #owners = new Map<number, Set<number>>();

  constructor(owners: readonly (readonly number[])[]) {
    owners.forEach((list, index) => {
      this.#owners.set(index, new Set(list.filter((owner) => owner < index)));
    });
  }

  has(index: number): boolean {
    return this.#owners.has(index);
  }

  all(): Iterable<[number, ReadonlySet<number>]> {
    return this.#owners;
  }

  delete(index: number, policy: Policy): void {
    this.#owners.delete(index);
    for (const [dependent, owners] of [...this.#owners]) {
      if (!owners.delete(index)) continue;
      if (owners.size === 0 && policy !== 'Orphan') this.delete(dependent, 'Background');
    }
  }

  state(name: (index: number) => string): string[] {
    return [...this.#owners].map(([index, owners]) => describeObject(name(index), [...owners].map(name))).sort();
  }
}
