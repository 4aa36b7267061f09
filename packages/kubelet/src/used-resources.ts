import { addTo, type Pod, podResources, type ResourceAmounts } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const everyAddress = '0.0.0.0';

/** Resources of a pod; the pod itself counts too. */
export function requestsOf({ spec }: Pod): ResourceAmounts {
  return podResources(spec ?? { containers: [] }, 'requests').set('pods', Quantity.of(1));
}

/** Amounts as in messages: CPUs in millicores, everything else in whole units. */
export function countOf(resource: string, amount: Quantity): number {
  return resource === 'cpu' ? amount.milliValue() : amount.value();
}

/** The host ports of a pod. */
export function hostPortsOf({ spec }: Pod): HostPort[] {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol = 'TCP' }) =>
      hostPort ? [{ ip: hostIP || everyAddress, protocol, port: hostPort }] : [],
    ),
  );
}

/** Total resources of the pods of a node, updated as pods are added and removed. */
export class UsedResources {
  readonly #byPod = new Map<string, ResourceAmounts>();
  readonly #total: ResourceAmounts = new Map();
  /** Only pods with host ports. */
  readonly #ports = new Map<string, readonly HostPort[]>();

  amountOf(name: string): Quantity {
    return this.#total.get(name) ?? Quantity.zero;
  }

  /** Whether a pod uses this host port, on this address or on all. */
  isTaken({ ip, protocol, port }: HostPort): boolean {
    const overlaps = (other: HostPort) => other.ip === ip || other.ip === everyAddress || ip === everyAddress;
    for (const ports of this.#ports.values())
      if (ports.some((other) => other.port === port && other.protocol === protocol && overlaps(other))) return true;
    return false;
  }

  add(pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    this.remove(uid);
    const amounts = requestsOf(pod);
    this.#byPod.set(uid, amounts);
    addTo(this.#total, amounts);
    const ports = hostPortsOf(pod);
    if (ports.length > 0) this.#ports.set(uid, ports);
  }

  remove(uid: string): void {
    for (const [name, amount] of this.#byPod.get(uid) ?? []) this.#total.set(name, this.amountOf(name).sub(amount));
    this.#byPod.delete(uid);
    this.#ports.delete(uid);
  }
}
