import { defineResource, type Manager, newController, type ObjectOf, reconcileObject, s, writeStatus } from 'coracle';

export const PodCount = defineResource({
  group: 'zouxapp.github.com',
  version: 'v1',
  kind: 'PodCount',
  spec: s.object({ count: s.integer() }),
  status: s.object({ count: s.integer().optional() }),
});
export type PodCount = ObjectOf<typeof PodCount>;

/** The desired status for a spec. */
export function statusOf({ count }: PodCount['spec']): NonNullable<PodCount['status']> {
  return { count: Math.max(count, 0) };
}

/** Adds the controller, which copies the desired number to the status. */
export function addPodCountController(manager: Manager): void {
  const { client } = manager;
  newController(manager)
    .for(PodCount)
    .complete(
      reconcileObject({ client, ref: PodCount }, async (current) => {
        const next = { ...current, status: statusOf(current.spec) };
        await writeStatus(client.resource(PodCount, current.metadata.namespace), { current, next });
      }),
    );
}
