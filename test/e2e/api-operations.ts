import type { KubeObject, ResourceRef, WatchEvent } from '@coracle/apimachinery';
import type { Cluster } from '@coracle/cluster';
import { expect } from 'vitest';

const labels = { 'special-label': 'conformance' };
const chosen = { labelSelector: 'special-label=conformance' };

type WithStatus = KubeObject & { readonly status?: object };

export interface ApiCase {
  readonly ref: ResourceRef<WithStatus>;
  /** The i-th of three objects, beside its labels. */
  readonly make: (i: number) => object;
  /** The status patch, and the field in which it is found again. */
  readonly status?: object;
  /** The status endpoint keeps the metadata. Elsewhere it takes annotations. */
  readonly statusKeepsMetadata?: boolean;
}

/** The steps of upstream's tests named "should support … API operations", and the events of their watch. */
export async function tryApiOperations(cluster: Cluster, one: ApiCase): Promise<void> {
  const { ref, make, status, statusKeepsMetadata = false } = one;
  const client = cluster.client.resource(ref, ref.namespaced ? 'default' : undefined);
  const everywhere = cluster.client.resource(ref);
  const apiVersion = ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
  const object = (i: number) => {
    const { metadata, ...rest } = make(i) as { metadata: object };
    return { apiVersion, kind: ref.kind, metadata: { ...metadata, labels }, ...rest };
  };
  const made = [await client.create(object(0)), await client.create(object(1)), await client.create(object(2))];
  const name = made[2]?.metadata.name ?? '';
  expect((await client.get(name)).metadata.uid).toBe(made[2]?.metadata.uid);
  const list = await client.list(chosen);
  expect(list.items).toHaveLength(3);
  expect((await everywhere.list(chosen)).items).toHaveLength(3);

  const events: WatchEvent<KubeObject>[] = [];
  const resourceVersion = list.metadata.resourceVersion ?? '';
  using _watch = everywhere.openWatch(
    { ...chosen, resourceVersion },
    { event: (event) => void events.push(event), end: () => undefined },
  );
  const patched = await client.patch(name, { metadata: { annotations: { patched: 'true' } } }, { type: 'merge' });
  expect(patched.metadata.annotations).toMatchObject({ patched: 'true' });
  const updated = await client.update({
    ...patched,
    metadata: { ...patched.metadata, annotations: { patched: 'true', updated: 'true' } },
  });
  expect(updated.metadata.annotations).toMatchObject({ patched: 'true', updated: 'true' });

  if (status) {
    const annotations = { patchedstatus: 'true' };
    const change = { metadata: { annotations }, status };
    const after = await client.patch(name, change, { type: 'merge', subresource: 'status' });
    expect(after).toMatchObject({ status });
    expect('patchedstatus' in (after.metadata.annotations ?? {})).toBe(!statusKeepsMetadata);
    expect((await client.updateStatus(after)).status).toMatchObject(status);
    expect((await client.get(name)).status).toMatchObject(status);
  }

  await client.delete(name);
  await cluster.settled();
  await cluster.clock.advance('1m');
  await expect(client.get(name)).rejects.toMatchObject({ status: { code: 404 } });
  expect((await client.list(chosen)).items).toHaveLength(2);
  await client.deleteCollection(chosen);
  await cluster.settled();
  await cluster.clock.advance('1m');
  expect((await client.list(chosen)).items).toEqual([]);
  const isUpdated = (object: object) => JSON.stringify(object).includes('"updated":"true"');
  const seen = events.map((event) => `${event.type} ${isUpdated(event.object)}`);
  expect(seen).toContain('MODIFIED true');
  expect(seen.filter((one) => one.startsWith('DELETED'))).toHaveLength(3);
}
