import { parseQuantity } from '@coracle/apimachinery';
import type { Container, ContainerStatus, Pod, PodSpec, ResourceRequirements } from '../../generated/types/core-v1.js';
import type { ResourceSide } from './pod-resources.js';

type Amounts = Readonly<Record<string, string>>;

const none: ResourceRequirements = Object.freeze({});

interface Resize {
  readonly side: ResourceSide;
  /** The resize will not be executed. */
  readonly isInfeasible: boolean;
}

/**
 * The spec with what the pod and its containers have while they are being resized: until the kubelet has made one
 * smaller it keeps what it had, and a resize that is infeasible changes nothing. The same spec if there is no difference.
 */
export function withActualResources({ spec, status }: Pod, side: ResourceSide): PodSpec {
  const stated = spec ?? { containers: [] };
  const resize = {
    side,
    isInfeasible:
      status?.conditions?.some(
        ({ type, status: value, reason }) => type === 'PodResizePending' && value === 'True' && reason === 'Infeasible',
      ) === true,
  };
  const actual = (container: Container, statuses: readonly ContainerStatus[] = []) =>
    actualContainer(
      container,
      statuses.find(({ name }) => name === container.name),
      resize,
    );
  const containers = stated.containers.map((one) => actual(one, status?.containerStatuses));
  const sidecars = stated.initContainers?.map((one) =>
    one.restartPolicy === 'Always' ? actual(one, status?.initContainerStatuses) : one,
  );
  const resources = ofPod(stated, status, resize);
  const isSame =
    resources === stated.resources &&
    containers.every((one, index) => one === stated.containers[index]) &&
    (sidecars ?? []).every((one, index) => one === stated.initContainers?.[index]);
  if (isSame) return stated;
  return { ...stated, containers, ...(sidecars && { initContainers: sidecars }), ...(resources && { resources }) };
}

/** The resources of the pod as a whole. A status that says only what is allocated is not complete yet. */
function ofPod({ resources }: PodSpec, status: Pod['status'], resize: Resize): ResourceRequirements | undefined {
  if (!resources?.[resize.side] || !status?.resources) return resources;
  return actualResources(resources, status, resize);
}

function actualContainer(container: Container, status: ContainerStatus | undefined, resize: Resize): Container {
  if (!status) return container;
  const stated = container.resources ?? none;
  const resources = actualResources(stated, status, resize);
  return resources === stated ? container : { ...container, resources };
}

/** The same object if there is no difference. */
function actualResources(
  resources: ResourceRequirements,
  { resources: actuated, allocatedResources }: Pick<ContainerStatus, 'resources' | 'allocatedResources'>,
  { side, isInfeasible }: Resize,
): ResourceRequirements {
  const stated = resources[side] ?? {};
  const allocated = side === 'requests' ? allocatedResources : undefined;
  const reported = [actuated?.[side], allocated].filter((one) => one !== undefined);
  if (reported.every((amounts) => isEqual(amounts, stated))) return resources;
  const has = reported.reduce(larger, {});
  const amounts = isInfeasible ? { ...stated, ...has } : larger(stated, has);
  return isEqual(amounts, stated) ? resources : { ...resources, [side]: amounts };
}

function isEqual(some: Amounts, others: Amounts): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => isSameAmount(some[name], others[name]));
}

/** Nearly always they are the same to the letter. */
function isSameAmount(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && parseQuantity(one).compare(parseQuantity(other)) === 0;
}

/** The larger amount of each resource. */
function larger(some: Amounts, others: Amounts): Amounts {
  const all: Record<string, string> = { ...some };
  for (const [name, amount] of Object.entries(others)) {
    const before = all[name];
    if (before === undefined || parseQuantity(before).compare(parseQuantity(amount)) < 0) all[name] = amount;
  }
  return all;
}
