import { type Cluster, startCluster } from '@coracle/cluster';
import {
  addSubjects,
  apiResources,
  apiVersions,
  apply,
  approveCertificate,
  attach,
  autoscale,
  canI,
  clusterInfo,
  copyFrom,
  copyTo,
  create,
  debug,
  denyCertificate,
  diff,
  dumpCluster,
  edit,
  events,
  exec,
  expose,
  type Fields,
  followEvents,
  forwardPort,
  generate,
  get,
  kustomize,
  lastApplied,
  permissions,
  proxy,
  reconcileAccess,
  runPod,
  Session,
  setEnv,
  setImage,
  setLastApplied,
  setResources,
  setSelector,
  setServiceAccount,
  taint,
  topNodes,
  topPods,
  version,
  whoAmI,
} from '@coracle/kubectl';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryHost } from '../../packages/kubectl/src/command/memory-host.fixture.js';
import { web, whileTimePasses } from './kubectl.js';

let cluster: Cluster;
let session: Session;

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  session = new Session({ client: cluster.client, clock: cluster.clock });
  await create(session, web);
  const annotations = { 'simulation.coracle.dev/cpu-usage': '250m', 'simulation.coracle.dev/memory-usage': '64Mi' };
  await runPod(session, 'shell', { image: 'busybox', annotations, port: 80, restartPolicy: 'Never' });
  await cluster.settled();
});
afterAll(() => cluster.stop());

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (chunks: readonly Uint8Array[]) => chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');
const podSpec = (object: Fields) =>
  (object as { spec: { template: { spec: { containers: Fields[]; serviceAccountName?: string } } } }).spec.template
    .spec;

test('exec returns the output and exit code of a command, of a pod and of a pod of a workload', async () => {
  expect(await exec(session, 'shell', ['sh', '-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
  const stdin = (async function* () {
    yield bytes('typed');
  })();
  const messages: Uint8Array[] = [];
  const result = await exec(session, 'pod/shell', ['cat'], { stdin, stdout: (chunk) => messages.push(chunk.slice()) });
  expect([result.exitCode, result.stdout, textOf(messages)]).toEqual([0, '', 'typed']);
  expect(await exec(session, 'deploy/web', ['hostname'])).toMatchObject({ stdout: expect.stringMatching(/^web-/) });
  await expect(exec(session, 'shell', [])).rejects.toThrow('at least one command');
  await expect(exec(session, 'shell', ['true'], { container: 'none' })).rejects.toThrow('container none is not valid');
  await expect(exec(session, 'absent', ['true'])).rejects.toThrow('pods "absent" not found');
});

test('attach receives the output of a container until it ends', async () => {
  const command = ['sh', '-c', 'sleep 5; echo later; sleep 1; exit 0'];
  await runPod(session, 'chatty', { image: 'busybox', args: command, asCommand: true, restartPolicy: 'Never' });
  await cluster.settled();
  expect(await whileTimePasses(cluster, attach(session, 'chatty'))).toMatchObject({ stdout: 'later\n' });
  await expect(attach(session, 'chatty')).rejects.toThrow('completed pod; current phase is Succeeded');
});

test('files are copied into a container and back', async () => {
  const entries = [
    { name: 'notes', type: 'directory', mode: 0o755, modifiedAtSeconds: 0 } as const,
    { name: 'notes/a', type: 'file', mode: 0o644, modifiedAtSeconds: 0, data: bytes('one\n') } as const,
  ];
  await copyTo(session, 'shell', { path: '/tmp', entries });
  const back: string[] = [];
  for await (const { name, data } of copyFrom(session, 'shell', { path: '/tmp/notes' }))
    back.push(`${name}: ${data ? textOf([data]) : ''}`);
  expect(back).toEqual([expect.stringMatching(/^notes\/?: $/), 'notes/a: one\n']);
  const missing = copyFrom(session, 'shell', { path: '/nowhere' }).next();
  await expect(missing).rejects.toThrow('tar failed in the container');
});

test('a port is forwarded, by number, by the port of a service, and refused where there is none', async () => {
  await expose(session, 'pod/shell', { name: 'front', port: 8080, targetPort: 80 });
  const page = (target: string, port: number | string) =>
    new Promise<string>((resolve, reject) => {
      const chunks: Uint8Array[] = [];
      void forwardPort(session, target, port, {
        onData: (chunk) => chunks.push(chunk.slice()),
        onEnd: (error) => (error ? reject(error) : resolve(textOf(chunks))),
      }).then((connection) => connection.send(bytes('GET / HTTP/1.1\r\nconnection: close\r\n\r\n')), reject);
    });
  expect(await page('pod/shell', 80)).toContain('This is the simulated pod default/shell, port 80.');
  expect(await page('svc/front', 8080)).toContain('default/shell, port 80');
  await expect(page('svc/front', 81)).rejects.toThrow('does not have a service port 81');
  await expect(page('pod/shell', 'metrics')).rejects.toThrow("does not have a named port 'metrics'");
});

test('the user and their permissions', async () => {
  expect(await whoAmI(session)).toMatchObject({ groups: expect.arrayContaining(['system:masters']) });
  expect(await canI(session, 'delete', 'deployments/web')).toMatchObject({ allowed: true });
  expect(await canI(session, 'get', '/healthz')).toMatchObject({ allowed: true });
  expect((await permissions(session)).resourceRules).toContainEqual(
    expect.objectContaining({ verbs: ['*'], resources: ['*'] }),
  );
});

test('missing rules of roles are added', async () => {
  const role = (verbs: readonly string[]): Fields => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
  });
  const operations = async (verbs: readonly string[], options = {}) =>
    (await reconcileAccess(session, [role(verbs)], options)).map(({ operation }) => operation);
  expect(await operations(['get'])).toEqual(['create']);
  expect(await operations(['get', 'list'], { dryRun: 'client' })).toEqual(['update']);
  expect(await operations(['get', 'list'])).toEqual(['update']);
  expect(await operations(['get'])).toEqual(['none']);
  expect(await operations(['get'], { removeExtraPermissions: true })).toEqual(['update']);
  await expect(reconcileAccess(session, [web])).rejects.toThrow('neither a role nor a binding');

  const binding = await generate(session, 'rolebinding', 'reading', { role: 'reader', user: ['jane'] });
  await create(session, binding);
  const bound = await addSubjects(session, 'rolebinding/reading', [{ kind: 'ServiceAccount', name: 'robot' }]);
  expect(bound).toMatchObject({ subjects: [{ name: 'jane' }, { name: 'robot', namespace: 'default' }] });
  await expect(addSubjects(session, 'deploy/web', [])).rejects.toThrow('only supported for RoleBinding');
});

test('images, variables, resources and service accounts are set, and taints', async () => {
  expect(podSpec(await setImage(session, 'deploy/web', { web: 'nginx:2' })).containers).toMatchObject([
    { image: 'nginx:2' },
  ]);
  await expect(setImage(session, 'deploy/web', { other: 'x' })).rejects.toThrow('unable to find container named');
  await expect(setImage(session, 'service/kubernetes', { '*': 'x' })).rejects.toThrow('does not have a pod template');
  await setEnv(session, 'deploy/web', { A: '1', B: '2' });
  const [container] = podSpec(await setEnv(session, 'deploy/web', { A: null, B: '3' })).containers;
  expect(container).toMatchObject({ env: [{ name: 'B', value: '3' }] });
  await expect(setEnv(session, 'deploy/web', { B: '4' }, { overwrite: false })).rejects.toThrow('already has a value');
  expect(
    podSpec(await setResources(session, 'deploy/web', { requests: { cpu: '10m' } }, { containers: 'w*' })).containers,
  ).toMatchObject([{ resources: { requests: { cpu: '10m' } } }]);
  const tried = await setServiceAccount(session, 'deploy/web', 'robot', { dryRun: 'client' });
  expect(podSpec(tried).serviceAccountName).toBe('robot');

  const [node] = (await get(session, { resource: 'nodes' })) as { metadata: { name: string } }[];
  const name = node?.metadata.name ?? '';
  const own = { key: 'own', value: 'x', effect: 'NoSchedule' };
  expect(await taint(session, name, { add: [own] })).toMatchObject({ spec: { taints: [own] } });
  await expect(taint(session, name, { add: [own] })).rejects.toThrow('already has own taint(s)');
  expect(await taint(session, name, { remove: [{ key: 'own', effect: '' }] })).not.toHaveProperty('spec.taints');
  await expect(taint(session, name, { remove: [own] })).rejects.toThrow('not found');
});

test('services and autoscalers are created for workloads', async () => {
  const service = await expose(session, 'deploy/web', { port: 80, type: 'NodePort' });
  expect(service).toMatchObject({ spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80 }] } });
  expect(await setSelector(session, 'web', { app: 'other' })).toMatchObject({ spec: { selector: { app: 'other' } } });
  await expect(setSelector(session, 'deploy/web', {})).rejects.toThrow('only supported for Services');
  expect(await autoscale(session, 'deploy/web', { min: 2, max: 5, cpu: '80%' })).toMatchObject({
    apiVersion: 'autoscaling/v2',
    spec: { minReplicas: 2, maxReplicas: 5, metrics: [{ resource: { target: { averageUtilization: 80 } } }] },
  });
  await expect(autoscale(session, 'deploy/web', { min: 3, max: 2 })).rejects.toThrow('max must be at least');
});

test.each([
  ['deployment', { image: ['nginx', 'redis'], replicas: 2 }, { kind: 'Deployment', spec: { replicas: 2 } }],
  ['job', { image: 'busybox', command: ['true'] }, { kind: 'Job' }],
  ['configmap', { 'from-literal': ['a=1,2'] }, { kind: 'ConfigMap', data: { a: '1,2' } }],
  ['secret generic', { 'from-literal': ['a=b'] }, { kind: 'Secret', data: { a: 'Yg==' } }],
  ['service clusterip', { tcp: ['80'] }, { kind: 'Service', spec: { ports: [{ port: 80 }] } }],
  ['clusterrole', { verb: ['get'], resource: ['pods'] }, { kind: 'ClusterRole' }],
  ['namespace', {}, { kind: 'Namespace' }],
])('generate creates a %s', async (kind, flags, expected) => {
  expect(await generate(session, kind, 'made', flags)).toMatchObject({ metadata: { name: 'made' }, ...expected });
});

test('generate rejects unknown kinds', async () => {
  await expect(generate(session, 'deployment', 'x')).rejects.toThrow('required: image');
  await expect(generate(session, 'spaceship', 'x')).rejects.toThrow('no generator for "spaceship"');
  await expect(generate(session, 'deployment', 'x', { image: ['a'], wings: 2 })).rejects.toThrow(
    'unknown flag: --wings',
  );
});

test('a container to debug with is added to a pod, to a copy of it, and to a node', async () => {
  const added = await debug(session, 'shell', { image: 'busybox', container: 'look' });
  expect(added).toMatchObject({
    container: 'look',
    pod: {
      spec: { ephemeralContainers: [{ name: 'look', securityContext: { capabilities: { add: ['SYS_PTRACE'] } } }] },
    },
  });
  await whileTimePasses(cluster, cluster.settled());
  expect(await exec(session, 'shell', ['echo', 'in'], { container: 'look' })).toMatchObject({ stdout: 'in\n' });
  const copied = await debug(session, 'shell', { copyTo: 'copy', setImages: { '*': 'debug:1' }, profile: 'baseline' });
  expect(copied.pod).toMatchObject({ metadata: { name: 'copy' }, spec: { containers: [{ image: 'debug:1' }] } });
  const [node] = (await get(session, { resource: 'nodes' })) as { metadata: { name: string } }[];
  const onNode = await debug(session, `node/${node?.metadata.name}`, { image: 'busybox', profile: 'sysadmin' });
  expect(onNode.pod).toMatchObject({
    spec: { hostPID: true, containers: [{ securityContext: { privileged: true } }] },
  });
  await expect(debug(session, 'deploy/web', { image: 'x' })).rejects.toThrow('not supported by debug');
});

test('the usage of nodes, pods and containers', async () => {
  await cluster.clock.advance('2m');
  const nodes = await topNodes(session);
  expect(nodes).toHaveLength(2);
  expect(nodes[0]?.allocatable.cpuMilli).toBeGreaterThan(1_000);
  const [shell] = await topPods(session, { name: 'shell' });
  expect(shell).toMatchObject({ namespace: 'default', pod: 'shell' });
  expect(shell?.containers.find(({ name }) => name === 'shell')).toMatchObject({ cpuMilli: 250 });
});

test('events of an object, and new ones', async () => {
  const started = (await events(session, { about: 'pod/shell' })).map(({ reason }) => reason);
  expect(started).toEqual(expect.arrayContaining(['Scheduled', 'Started']));
  expect(await events(session, { about: 'pod/shell', types: ['Warning'] })).toEqual([]);
  const ending = new AbortController();
  const watching = new Session({ client: cluster.client, clock: cluster.clock, signal: ending.signal });
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const event of followEvents(watching, { about: 'pod/later' })) {
      seen.push(event['reason']);
      if (event['reason'] === 'Started') ending.abort();
    }
  })();
  await runPod(session, 'later', { image: 'busybox' });
  await whileTimePasses(cluster, following);
  expect(seen).toContain('Scheduled');
});

test('the version of the server, and its resources', async () => {
  expect(await version(session)).toMatchObject({ client: 'v1.36.4', server: { major: '1' } });
  expect(await apiVersions(session)).toEqual(expect.arrayContaining(['v1', 'apps/v1']));
  const scalable = await apiResources(session, { apiGroup: 'apps', verbs: ['create', 'watch'] });
  expect(scalable.map(({ resource }) => resource.name)).toContain('statefulsets');
  expect(await clusterInfo(session)).toEqual(expect.any(Array));
  const names: string[] = [];
  for await (const { name } of dumpCluster(session, ['default'])) names.push(name);
  expect(names).toEqual(expect.arrayContaining(['nodes', 'default/pods', 'default/shell/logs.txt']));
  const handle = await proxy(session);
  const request = {
    method: 'GET',
    url: '/api/v1/namespaces/default',
    host: 'localhost:8001',
    headers: {},
    body: bytes(''),
  };
  expect((await handle(request)).status).toBe(200);
  expect((await handle({ ...request, url: '/api/v1/namespaces/default/pods/shell/exec' })).status).toBe(403);
});

test('differences, edits and the last applied configuration', async () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'red' } };
  expect(await diff(session, [settings])).toMatchObject([{ live: undefined, merged: { data: { colour: 'red' } } }]);
  const [applied] = await apply(session, [settings]);
  expect(lastApplied(applied?.object ?? {})).toMatchObject({ data: { colour: 'red' } });
  const blue = { ...settings, data: { colour: 'blue' } };
  expect(await diff(session, [blue])).toMatchObject([
    { live: { data: { colour: 'red' } }, merged: { data: { colour: 'blue' } } },
  ]);
  const edited = await edit(session, 'cm/settings', (map) => ({ ...map, data: { colour: 'green' } }));
  expect(edited).toMatchObject({ data: { colour: 'green' } });
  await expect(edit(session, 'cm/settings', (map) => ({ ...map, kind: 'Secret' }))).rejects.toThrow('was changed');
  expect(lastApplied(await setLastApplied(session, blue))).toMatchObject({ data: { colour: 'blue' } });
});

test('apply prunes objects that are no longer in the set', async () => {
  const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { set: 'one' } } });
  await apply(session, [map('first'), map('second')]);
  const prune = { labelSelector: 'set=one', kinds: ['core/v1/ConfigMap'] };
  const result = await apply(session, [map('second')], { prune });
  expect(result.map(({ operation, object }) => [operation, (object as typeof web).metadata.name])).toEqual([
    ['unchanged', 'second'],
    ['pruned', 'first'],
  ]);
  await expect(get(session, { resource: 'cm/first' })).rejects.toThrow('not found');
});

test('certificate requests are approved and denied', async () => {
  const request = (name: string) => ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request: csr, signerName: 'example.com/own', usages: ['client auth'] },
  });
  await create(session, request('good'));
  await create(session, request('bad'));
  expect(await approveCertificate(session, 'good')).toMatchObject({ status: { conditions: [{ type: 'Approved' }] } });
  expect(await denyCertificate(session, 'bad')).toMatchObject({ status: { conditions: [{ type: 'Denied' }] } });
  await expect(denyCertificate(session, 'good')).rejects.toThrow('is already Approved');
});

test('a kustomization is built from given files', async () => {
  const { files } = memoryHost({
    '/app/kustomization.yaml': '{"namePrefix":"a-","resources":["map.yaml"]}',
    '/app/map.yaml': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"map"}}',
  });
  if (!files) throw new Error('a machine in memory has files');
  expect(await kustomize(session, files, '/app')).toMatchObject([{ metadata: { name: 'a-map' } }]);
});

/** A request for `CN=test`, signed with a key that no longer exists. */
const csr = [
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01IRUNBUUF3RHpFTk1Bc0dBMVVFQXd3RWRHVnpkREJaTUJNR0J5cUdTTT',
  'Q5QWdFR0NDcUdTTTQ5QXdFSApBMElBQklWOUF4TGVUeVdLM3NZUFphSXhGaW9OUEtUTEtpUHcyWHQyMU9rU1N6VXpqMzJxV1BKU0x6NHRRMEQ2',
  'ClNzSHEwZnEvYVdIS1VFaWJQaVM0RUMrVUZSaWdBREFLQmdncWhrak9QUVFEQWdOSkFEQkdBaUVBMDJhd2NudWEKMEtnVkk1TFVZWndCUW9UNF',
  'I3VnlRVEd3V09jMUxRSGxzTElDSVFEdUVqU2YvMHEwZ1NVMDhPQVpoNThWaWZlWQoyeXBGc251ekVUbUJrbjd6WGc9PQotLS0tLUVORCBDRVJU',
  'SUZJQ0FURSBSRVFVRVNULS0tLS0K',
].join('');
