import type { OperatorNames } from './operator-names.js';

export function resourceSource({ kind, group }: OperatorNames): string {
  return `import { defineResource, type ObjectOf, s } from 'coracle';

/** Types, validation and the manifest of the CRD all come from here. */
export const ${kind} = defineResource({
  group: '${group}',
  version: 'v1',
  kind: '${kind}',
  spec: s.object({
    message: s.string().min(1).max(1000),
    copies: s.int32().min(1).max(5).default(1),
  }),
  status: s.object({ copies: s.int32().optional(), conditions: s.conditions().optional() }),
  printerColumns: [
    { name: 'Copies', type: 'integer', jsonPath: '.status.copies' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});
export type ${kind} = ObjectOf<typeof ${kind}>;
`;
}

export function controllerSource({ name, kind, variable }: OperatorNames): string {
  return `import {
  type Client,
  type Clock,
  createOrUpdate,
  type Manager,
  newController,
  reconcileObject,
  refs,
  setControllerReference,
  withCondition,
  writeStatus,
} from 'coracle';
import { ${kind} } from './${name}.js';

/** Adds the controller: every ${kind} gets config maps with its message. */
export function add${kind}Controller(manager: Manager, { clock }: { readonly clock: Clock }): void {
  const { client } = manager;
  newController(manager)
    .for(${kind})
    .owns(refs.configMaps)
    .complete(reconcileObject({ client, ref: ${kind} }, (${variable}) => reconcile(${variable}, client, clock)));
}

/**
 * Brings the cluster in line with the spec. It may run at any time and any number of times: it changes only what
 * differs.
 */
async function reconcile(${variable}: ${kind}, client: Client, clock: Clock): Promise<void> {
  const { name = '', namespace } = ${variable}.metadata;
  const { message, copies } = ${variable}.spec;
  for (let copy = 1; copy <= copies; copy++)
    await createOrUpdate({
      client,
      ref: refs.configMaps,
      namespace,
      name: name + '-' + copy,
      mutate: (current) => setControllerReference({ ...current, data: { message } }, ${variable}, ${kind}),
    });
  const reported: ${kind} = { ...${variable}, status: { ...${variable}.status, copies } };
  const next = withCondition(reported, { type: 'Ready', status: 'True', reason: 'Copied' }, clock);
  await writeStatus(client.resource(${kind}, namespace), { current: ${variable}, next });
}
`;
}

export function mainSource({ name, kind, group }: OperatorNames): string {
  return `import { randomUUID } from 'node:crypto';
import {
  createClient,
  createHttpTransport,
  createManager,
  createStderrLogger,
  createSystemRandom,
  loadConnection,
  serveHttp,
  stopSignal,
  systemClock,
} from 'coracle';
import { add${kind}Controller } from './${name}-controller.js';

const clock = systemClock;
const host = process.env['LISTEN_HOST'] ?? '127.0.0.1';
const transport = await createHttpTransport({ connection: await loadConnection() });
const manager = createManager({
  client: createClient({ transport }),
  clock,
  random: createSystemRandom(),
  logger: createStderrLogger({ level: 'info' }),
  name: '${name}',
  leaderElection: {
    lease: { namespace: process.env['POD_NAMESPACE'] ?? 'default', name: '${name}.${group}' },
    identity: randomUUID(),
    releaseOnStop: true,
  },
  serve: {
    metrics: serveHttp({ host, port: Number(process.env['METRICS_PORT'] ?? 8080) }),
    health: serveHttp({ host, port: Number(process.env['HEALTH_PORT'] ?? 8081) }),
  },
});
add${kind}Controller(manager, { clock });
await manager.start(stopSignal());
`;
}

export function manifestsSource({ name, kind }: OperatorNames): string {
  return `import { parseArgs } from 'node:util';
import { formatYamlDocuments, operatorRole, operatorWorkload, refs, userRoles } from 'coracle';
import { ${kind} } from './${name}.js';

/** With an image, what runs the operator in the cluster too. */
const { image } = parseArgs({ options: { image: { type: 'string' } } }).values;

const role = operatorRole('${name}', { owns: [${kind}], writes: [refs.configMaps] });
const operator = image === undefined ? [role] : operatorWorkload('${name}', { image, role });
process.stdout.write(formatYamlDocuments([${kind}.crd, ...userRoles(${kind}), ...operator]));
`;
}

export function testSource({ name, kind, group }: OperatorNames): string {
  return `import { type Cluster, createManager, type Manager, startCluster } from 'coracle';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ${kind} } from './${name}.js';
import { add${kind}Controller } from './${name}-controller.js';

let cluster: Cluster;
let manager: Manager;

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
  const { client, clock, activity } = cluster;
  await client.customResourceDefinitions().create(${kind}.crd);
  await cluster.settled();
  manager = createManager({ client, clock, activity, random: { next: () => 0.5 }, cache: { deepFreeze: true } });
  add${kind}Controller(manager, { clock });
  void manager.start();
});
afterAll(async () => {
  await manager.stop();
  await cluster.stop();
});

test('every copy of the message is there, and comes back when it is taken away', async () => {
  const objects = cluster.client.resource(${kind}, 'default');
  await objects.create(${kind}.make({ metadata: { name: 'hello' }, spec: { message: 'hi', copies: 2 } }));
  await cluster.settled();
  const { status } = await objects.get('hello');
  expect(status).toMatchObject({ copies: 2, conditions: [{ type: 'Ready', status: 'True' }] });

  await cluster.client.configMaps('default').delete('hello-2');
  await cluster.settled();
  expect((await cluster.client.configMaps('default').get('hello-2')).data).toEqual({ message: 'hi' });
});

test('a message is not empty', async () => {
  const empty = ${kind}.make({ metadata: { name: 'empty' }, spec: { message: '' } });
  await expect(cluster.client.resource(${kind}, 'default').create(empty)).rejects.toThrow(
    '${kind}.${group} "empty" is invalid: spec.message',
  );
});
`;
}
