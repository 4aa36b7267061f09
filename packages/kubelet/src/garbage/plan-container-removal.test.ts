import { type Container, ContainerState, type PodSandbox, PodSandboxState } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { type ContainerRemovalInput, type PodRemains, planContainerRemoval } from './plan-container-removal.js';

const uid = 'io.kubernetes.pod.uid';
const { CONTAINER_EXITED, CONTAINER_RUNNING, CONTAINER_UNKNOWN } = ContainerState;
const remains: Readonly<Record<string, PodRemains>> = { active: 'active', ended: 'terminated', gone: 'gone' };

/** The container `name` of a pod, made at a second. */
function made(pod: string, name: string, second: number, state: ContainerState = CONTAINER_EXITED): Container {
  const id = `${pod}/${name}/${second}`;
  return { id, podSandboxId: pod, metadata: { name }, state, createdAt: second * 1e9, labels: { [uid]: pod } };
}

function sandbox(pod: string, second: number, state: PodSandboxState = PodSandboxState.SANDBOX_NOTREADY): PodSandbox {
  return { id: second === 0 ? pod : `${pod}-${second}`, state, createdAt: second * 1e9, labels: { [uid]: pod } };
}

function plan(input: Partial<ContainerRemovalInput>) {
  const { containers, sandboxes } = planContainerRemoval({
    containers: [],
    sandboxes: [],
    now: 100_000,
    settings: { minimumContainerTTLDuration: 0, maximumDeadContainersPerContainer: 1, maximumDeadContainers: -1 },
    remainsOf: (pod) => remains[pod] ?? 'gone',
    all: false,
    ...input,
  });
  return [...containers, ...sandboxes].map(({ id }) => id);
}

const settings = { minimumContainerTTLDuration: 0, maximumDeadContainersPerContainer: 1, maximumDeadContainers: -1 };

describe('planContainerRemoval', () => {
  test('K29.3 K29.5 the newest dead container of each name is kept, and running ones', () => {
    const containers = [
      made('active', 'a', 1),
      made('active', 'a', 3),
      made('active', 'a', 2, CONTAINER_UNKNOWN),
      made('active', 'a', 4, CONTAINER_RUNNING),
      made('active', 'b', 1),
    ];
    expect(plan({ containers })).toEqual(['active/a/2', 'active/a/1']);
  });

  test('K29.2 K29.3 recent containers and sandboxes are kept', () => {
    const containers = [made('gone', 'a', 50), made('gone', 'a', 41), made('gone', 'a', 40)];
    const young = { ...settings, minimumContainerTTLDuration: 60_000 };
    expect(plan({ containers, settings: young })).toEqual(['gone/a/40']);
  });

  test('K29.4 nothing of a deleted pod is kept; of a terminated one only if there is space', () => {
    const containers = [made('gone', 'a', 1), made('ended', 'a', 1)];
    expect(plan({ containers })).toEqual(['gone/a/1']);
    expect(plan({ containers, all: true })).toEqual(['gone/a/1', 'ended/a/1']);
  });

  test('K29.6 beyond the total each container keeps its share, and then the oldest go', () => {
    const containers = [1, 2, 3, 4].flatMap((second) => ['a', 'b', 'c'].map((name) => made('active', name, second)));
    const many = { ...settings, maximumDeadContainersPerContainer: 5 };
    expect(plan({ containers, settings: { ...many, maximumDeadContainers: 12 } })).toEqual([]);
    const left = (most: number) => {
      const removed = new Set(plan({ containers, settings: { ...many, maximumDeadContainers: most } }));
      return containers.map(({ id = '' }) => id).filter((id) => !removed.has(id));
    };
    expect(left(6)).toEqual(['a/3', 'b/3', 'c/3', 'a/4', 'b/4', 'c/4'].map((id) => `active/${id}`));
    expect(left(2)).toHaveLength(2);
  });

  test('K29.7 a dead sandbox is removed when it is empty and its pod has a newer one, or is deleted', () => {
    const { SANDBOX_READY } = PodSandboxState;
    const sandboxes = [
      sandbox('active', 1),
      sandbox('active', 2),
      sandbox('active', 3, SANDBOX_READY),
      sandbox('ended', 1),
      sandbox('gone', 1),
      sandbox('gone', 2, SANDBOX_READY),
      sandbox('gone', 0),
    ];
    expect(plan({ sandboxes })).toEqual(['active-2', 'active-1', 'gone-1', 'gone']);
    const occupied = { ...made('active', 'a', 1), podSandboxId: 'active-1' };
    expect(plan({ sandboxes, containers: [occupied] })).toEqual(['active-2', 'gone-1', 'gone']);
  });
});
