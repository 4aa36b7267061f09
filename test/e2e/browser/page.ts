// Runs in the page: uses a cluster as a dashboard would, and sends the results to the test.
import {
  webClock as clock,
  createClient,
  createFetchTransport,
  createInformers,
  createManager,
  createWebRandom,
  isNotFound,
  newController,
  reconcileObject,
  refs,
  silentLogger,
  waitForObject,
} from 'coracle/browser';

interface Settings {
  readonly server: string;
  readonly token: string;
}

const settings = (await (await fetch('/settings')).json()) as Settings;
const report = await visit(settings).catch((error: unknown) => ({ failed: String(error) }));
await fetch('/report', { method: 'POST', body: JSON.stringify(report) });

async function visit({ server, token }: Settings): Promise<object> {
  const client = createClient({ transport: createFetchTransport({ server, token }) });
  const maps = client.configMaps('default');
  const random = createWebRandom();

  const { items } = await client.namespaces().list();
  const missing = await maps.get('nowhere').catch(isNotFound);
  const stranger = createClient({ transport: createFetchTransport({ server, token: 'wrong' }) });
  const refused = await stranger
    .pods()
    .list()
    .catch((error: Error) => error.message);

  const seen: string[] = [];
  await using informers = createInformers({ client, clock, random, logger: silentLogger });
  const labelSelector = 'from=browser';
  informers.for(refs.configMaps, { namespace: 'default', labelSelector }).addHandler(({ type, object }) => {
    seen.push(`${type} ${object.metadata.name} ${object.data?.['reconciled'] ?? ''}`.trim());
  });
  informers.start();
  await informers.synced();

  await using manager = createManager({ client, clock, random });
  newController(manager)
    .for(refs.configMaps)
    .complete(
      reconcileObject({ client: manager.client, ref: refs.configMaps }, async (map) => {
        if (map.metadata.labels?.['from'] !== 'browser' || map.data?.['reconciled']) return;
        await maps.patch(map.metadata.name ?? '', { data: { reconciled: 'yes' } }, { type: 'merge' });
      }),
    );
  void manager.start();
  await manager.elected;
  await maps.create({ metadata: { name: 'from-a-page', labels: { from: 'browser' } } });
  const timeoutMs = 30_000;
  const until = (map: { readonly data?: Record<string, string> } | undefined) => map?.data?.['reconciled'] === 'yes';
  await waitForObject({
    client,
    clock,
    ref: refs.configMaps,
    namespace: 'default',
    name: 'from-a-page',
    until,
    timeoutMs,
  });
  await maps.delete('from-a-page');
  while (seen.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));

  const namespaces = items.map(({ metadata }) => metadata.name);
  return { namespaces, missing, refused, seen, isBrowser: 'document' in globalThis };
}
