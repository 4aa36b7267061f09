import type { Container, ContainerStatus, Pod } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';

type Amounts = Readonly<Record<string, string>>;

/**
 * The spec with what its containers have while they are being resized: until the kubelet has made one smaller it keeps
 * what it had, and a resize that is infeasible changes nothing. The same spec if there is no difference.
 */
export function withActualRequests({ spec, status }: Pod): NonNullable<Pod['spec']> {
  const stated = spec ?? { containers: [] };
  const isInfeasible = status?.conditions?.some(
    ({ type, status: value, reason }) => type === 'PodResizePending' && value === 'True' && reason === 'Infeasible',
  );
  const actual = (container: Container, statuses: readonly ContainerStatus[] = []) =>
    actualContainer(
      container,
      statuses.find(({ name }) => name === container.name),
      isInfeasible === true,
    );
  const containers = stated.containers.map((one) => actual(one, status?.containerStatuses));
  const sidecars = stated.initContainers?.map((one) =>
    one.restartPolicy === 'Always' ? actual(one, status?.initContainerStatuses) : one,
  );
  const isSame =
    containers.every((one, index) => one === stated.containers[index]) &&
    (sidecars ?? []).every((one, index) => one === stated.initContainers?.[index]);
  return isSame ? stated : { ...stated, containers, ...(sidecars && { initContainers: sidecars }) };
}

function actualContainer(container: Container, status: ContainerStatus | undefined, isInfeasible: boolean): Container {
  const stated = container.resources?.requests ?? {};
  const reported = [status?.resources?.requests, status?.allocatedResources].filter((one) => one !== undefined);
  if (reported.every((amounts) => isEqual(amounts, stated))) return container;
  const has = reported.reduce(larger, {});
  const requests = isInfeasible ? { ...stated, ...has } : larger(stated, has);
  if (isEqual(requests, stated)) return container;
  return { ...container, resources: { ...container.resources, requests } };
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
