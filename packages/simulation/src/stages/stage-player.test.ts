import { type Pod, refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { Activity, Deferred, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import type { Client, InformerFactory, ResourceClient, SharedInformer } from '@coracle/client';
import { afterEach, expect, test } from 'vitest';
import { node, startTestNodes } from '../nodes.fixture.js';
import { parseStages } from './parse-stages.js';
import type { StageWorld } from './stage-functions.js';
import { StagePlayer } from './stage-player.js';

let nodes: AsyncDisposable | undefined;
afterEach(async () => nodes?.[Symbol.asyncDispose]());

/** Typical KWOK stages of pods: ready at once, completed if of a Job, removed when deleted. */
const podStages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-ready}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - {key: .status.podIP, operator: DoesNotExist}
  next:
    event: {type: Normal, reason: Playing, message: 'now {{ .metadata.name }}'}
    statusTemplate: |
      {{ $at := Now }}
      conditions:
      {{ range list "Initialized" "Ready" "ContainersReady" }}
      - {type: {{ . | Quote }}, status: "True", lastTransitionTime: {{ $at | Quote }}}
      {{ end }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        imageID: ""
        ready: true
        restartCount: 0
        state: {running: {startedAt: {{ $at | Quote }}}}
      {{ end }}
      phase: Running
      startTime: {{ $at | Quote }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) .metadata.uid .metadata.name .metadata.namespace | Quote }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-complete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
    - {key: .status.phase, operator: In, values: [Running]}
    - {key: '.metadata.ownerReferences.[].kind', operator: In, values: [Job]}
  delay:
    durationMilliseconds: 1000
    durationFrom: {expressionFrom: '.metadata.annotations["delay"]'}
  next:
    statusTemplate: |
      {{ $at := Now }}
      {{ $root := . }}
      containerStatuses:
      {{ range $i, $one := .spec.containers }}
      {{ $before := index $root.status.containerStatuses $i }}
      - name: {{ $one.name | Quote }}
        image: {{ $one.image | Quote }}
        imageID: ""
        ready: false
        restartCount: 0
        state:
          terminated:
            exitCode: 0
            reason: Completed
            startedAt: {{ $before.state.running.startedAt | Quote }}
            finishedAt: {{ $at | Quote }}
      {{ end }}
      phase: Succeeded
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: pod-delete}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: .metadata.deletionTimestamp, operator: Exists}
  next:
    finalizers: {empty: true}
    delete: true
`;

const nodeStages = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-initialize}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
    - key: '.status.conditions.[] | select( .type == "Ready" ) | .status'
      operator: NotIn
      values: ["True"]
  next:
    statusTemplate: |
      {{ $at := Now }}
      conditions:
      {{ range NodeConditions }}
      - {type: {{ .type }}, status: {{ .status | Quote }}, reason: {{ .reason }}, message: {{ .message }}, lastHeartbeatTime: {{ $at | Quote }}, lastTransitionTime: {{ $at | Quote }}}
      {{ end }}
      addresses:
      {{ with .status.addresses }}
      {{ YAML . 1 }}
      {{ end }}
      phase: Running
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: node-heartbeat}
spec:
  resourceRef: {apiGroup: v1, kind: Node}
  selector:
    matchExpressions:
    - {key: .status.phase, operator: In, values: [Running]}
    - key: '.status.conditions.[] | select( .type == "Ready" ) | .status'
      operator: In
      values: ["True"]
  delay: {durationMilliseconds: 20000, jitterDurationMilliseconds: 25000}
  next:
    statusTemplate: |
      {{ $at := Now }}
      conditions:
      {{ range NodeConditions }}
      - {type: {{ .type }}, status: {{ .status | Quote }}, lastHeartbeatTime: {{ $at | Quote }}}
      {{ end }}
  immediateNextStage: true
`;

async function start(text: string, count = 1) {
  const made = await startTestNodes(count, { stages: parseStages(text, 'stages.yaml') });
  nodes = made.nodes;
  return made;
}

test('a pod becomes ready as its stage says, with an address of its node, and no kubelet touches it', async () => {
  const { run, events, nodes: made } = await start(podStages);
  const web = await run('web');
  expect(web.status).toMatchObject({
    phase: 'Running',
    podIP: '10.244.0.2',
    hostIP: '172.18.0.2',
    containerStatuses: [{ name: 'web', ready: true, state: { running: {} } }],
  });
  expect((await run('two')).status?.podIP).toBe('10.244.0.3');
  expect((await run('host', { hostNetwork: true })).status?.podIP).toBe('172.18.0.2');
  expect(await events('web')).toEqual(['Playing: now web']);
  expect((await made.runtimeOf(node)?.listContainers({}))?.containers).toEqual([]);
});

test('a pod of a Job completes after its delay, or after that of its annotation', async () => {
  const { pods, clock } = await start(podStages);
  const make = (name: string, annotations: Record<string, string>) =>
    pods.create({
      metadata: {
        name,
        annotations,
        ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'u' }],
      },
      spec: { nodeName: node, restartPolicy: 'Never', containers: [{ name: 'web', image: 'nginx' }] },
    });
  await make('soon', {});
  await make('later', { delay: '30s' });
  await clock.settle();
  const phases = async () => [(await pods.get('soon')).status?.phase, (await pods.get('later')).status?.phase];
  expect(await phases()).toEqual(['Running', 'Running']);
  await clock.advance(1_000);
  expect(await phases()).toEqual(['Succeeded', 'Running']);
  await clock.advance(29_000);
  expect(await phases()).toEqual(['Succeeded', 'Succeeded']);
});

test('a deleted pod is removed, with its finalizers', async () => {
  const { run, pods, clock } = await start(podStages);
  await run('web');
  await pods.patch('web', { metadata: { finalizers: ['example.com/hold'] } }, { type: 'merge' });
  await pods.delete('web');
  await clock.settle();
  await expect(pods.get('web')).rejects.toMatchObject({ status: { reason: 'NotFound' } });
});

test('nodes are initialized and updated by their stages, and the kubelet does not write their status', async () => {
  const { client, clock, run } = await start(nodeStages);
  const condition = async (type: string) =>
    (await client.resource(refs.nodes).get(node)).status?.conditions?.find((one) => one.type === type);
  expect(await condition('Ready')).toMatchObject({ status: 'True', reason: 'KubeletReady' });
  expect((await client.resource(refs.nodes).get(node)).status?.addresses).toContainEqual({
    type: 'InternalIP',
    address: '172.18.0.2',
  });
  const first = (await condition('Ready'))?.lastHeartbeatTime;
  await clock.advance(60_000);
  const second = (await condition('Ready'))?.lastHeartbeatTime;
  expect(Date.parse(second ?? '') - Date.parse(first ?? '')).toBeGreaterThanOrEqual(40_000);
  // Pods are the kubelet's: no stage is for them.
  expect((await run('web')).status?.phase).toBe('Running');
});

test('no stage is applied on a node that is down, and all of them when it is back', async () => {
  const { run, nodes: made, pods, clock } = await start(podStages, 2);
  await made.stopNode(node);
  expect((await run('web')).status?.phase).toBe('Pending');
  await made.startNode(node);
  await clock.settle();
  expect((await pods.get('web')).status?.phase).toBe('Running');
});

test('a stage without a delay that always matches is applied once a second at most', async () => {
  const text = podStages.replace('{key: .status.podIP, operator: DoesNotExist}', '{key: .spec, operator: Exists}');
  const { run, clock, writes } = await start(text);
  await run('web');
  const patches = () => writes.filter((one) => one.startsWith('PATCH /api/v1/namespaces/default/pods/web')).length;
  const before = patches();
  await clock.advance(10_000);
  expect(patches() - before).toBeLessThanOrEqual(11);
});

test('a template that fails for an object leaves it as it was, and is tried again', async () => {
  const { run, pods, clock } = await start(
    podStages.replace('.metadata.uid .metadata.name', '(index .spec.absent 0) ""'),
  );
  expect((await run('web')).status?.phase).toBe('Pending');
  await clock.advance(20_000);
  expect((await pods.get('web')).status?.phase).toBe('Pending');
});

test('a stage that fails after the end of its player is not tried again', async () => {
  const clock = new VirtualClock();
  const pod: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [] } };
  const answer = new Deferred<never>();
  const informer: Partial<SharedInformer<Pod>> = {
    addHandler: (handler) => {
      handler({ type: 'added', object: pod, initial: true });
      return { [Symbol.dispose]: () => {} };
    },
    get: () => pod,
  };
  const player = new StagePlayer<Pod>({
    stages: parseStages(podStages, 'stages').slice(0, 1),
    kind: 'Pod',
    ref: refs.pods,
    nodeOf: () => 'n',
    informers: fake<InformerFactory>({ for: (() => informer) as InformerFactory['for'] }),
    client: fake<Client>({
      resource: <T extends KubeObject>() => fake<ResourceClient<T>>({ patch: () => answer.promise }),
    }),
    recorder: { event: () => {} },
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    activity: new Activity(),
    isUp: () => true,
    world: fake<StageWorld>({ nodeIp: () => '10.0.0.1', podIp: () => '10.0.0.2', version: 'v1' }),
    onGone: () => {},
  });
  await clock.advance(1_000);
  player[Symbol.dispose]();
  answer.reject(new Error('the server is gone'));
  await clock.settle();
  expect(clock.pending).toBe(0);
});

/** An object with only the members that the test uses. */
function fake<T extends object>(members: Partial<T>): T {
  return members as T;
}
