import { type Pod, refs } from '@coracle/api';
import { randomInt, seededRandom } from '@coracle/base';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answersFor, createFinder, type Finder, freshFinder, schedulerNames } from './finder.fixture.js';
import { deviceListers } from './plugins/devices/device-listers.js';
import { volumeListers } from './plugins/volumes/volume-listers.js';
import { podSpecs } from './pod-specs.fixture.js';
import { type RandomChange, randomChange } from './random-changes.fixture.js';
import { AttemptLog } from './why/attempt-log.js';
import { whyPod } from './why/why-pod.js';

const changes = 260;
/** Number of changes after each of which the same pod is scheduled: a node caches results for one class of pods. */
const changesPerPod = 10;

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  const { client } = cluster;
  await client.namespaces().create({ metadata: { name: 'other' } });
  await client.resource(refs.priorityClasses).create({ metadata: { name: 'high' }, value: 1000 });
  await client.resource(refs.storageClasses).create({
    metadata: { name: 'wait' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await cluster.settled();
});
afterEach(() => cluster.stop());

const pods = ['default', 'other'].flatMap((namespace) =>
  schedulerNames.flatMap((schedulerName) =>
    Object.entries(podSpecs).map(([name, spec]): Pod => {
      const uid = `${namespace} ${schedulerName} ${name}`;
      return { metadata: { name, namespace, uid, labels: { app: 'a' } }, spec: { ...spec, schedulerName } };
    }),
  ),
);

async function isMade({ apply }: RandomChange): Promise<boolean> {
  try {
    await apply();
    return true;
  } catch {
    return false;
  }
}

/** The simulation must leave nothing behind. */
function explain(pod: Pod, finder: Finder): void {
  const { informers } = finder;
  const parts = { attempts: new AttemptLog(), volumes: volumeListers(informers), devices: deviceListers(informers) };
  whyPod(pod, { ...finder, ...parts });
}

const slow = { timeout: 90_000 };

test.each([1, 2, 3])(
  'what a scheduler remembers is what one finds that remembers nothing: seed %i',
  slow,
  async (seed) => {
    const random = seededRandom(seed);
    await using finder = await createFinder(cluster, { follows: true });
    const history: string[] = [];
    const anyPod = () => pods[randomInt(random, pods.length)] as Pod;
    let same = anyPod();
    while (history.length < changes) {
      const change = randomChange(cluster, finder, random);
      if (!(await isMade(change))) continue;
      await cluster.settled();
      history.push(change.text);
      if (history.length % changesPerPod === 0) same = anyPod();
      if (random.next() < 0.2) explain(anyPod(), finder);
      await using fresh = await freshFinder(cluster, finder);
      for (const pod of [same, anyPod(), same]) {
        const found = answersFor(structuredClone(pod), fresh);
        expect(answersFor(pod, finder), `${pod.metadata.uid}, after ${history.slice(-10).join(', ')}`).toEqual(found);
      }
    }
  },
);
