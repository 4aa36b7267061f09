import type { Pod } from '@coracle/api';
import type { ClaimManager, PreparedClaim } from './claim-manager.js';
import type { DeviceManager } from './device-manager.js';

/** Devices of one resource with the same NUMA nodes. */
export interface ContainerDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
  readonly topology?: Topology;
}

interface Topology {
  readonly nodes: readonly { readonly ID: number }[];
}

/** The response of the pod resources API for a pod. */
export interface PodResources {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly {
    readonly name: string;
    readonly devices: readonly ContainerDevices[];
    readonly cpuIds: readonly number[];
    readonly dynamicResources: readonly object[];
  }[];
}

export interface PodResourcesSource {
  readonly devices?: Pick<DeviceManager, 'allocationsOf' | 'device' | 'allocatable'>;
  readonly claims?: Pick<ClaimManager, 'claimsOf'>;
  /** The exclusive CPUs of a container. */
  readonly cpusOf?: (podUid: string, container: string) => readonly number[];
}

export function podResourcesOf(pod: Pod, source: PodResourcesSource): PodResources {
  const { name = '', namespace = '', uid = '' } = pod.metadata;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return {
    name,
    namespace,
    containers: [...sidecars, ...containers].map((container) => ({
      name: container.name,
      devices: devicesOf(source, uid, container.name),
      cpuIds: source.cpusOf?.(uid, container.name) ?? [],
      dynamicResources: source.claims?.claimsOf(pod, container).map(dynamicResource) ?? [],
    })),
  };
}

/** All healthy devices of the node. */
export function allocatableDevices({ devices }: PodResourcesSource): readonly ContainerDevices[] {
  return [...(devices?.allocatable() ?? [])].flatMap(([resourceName, list]) =>
    list.map(({ id, numaNodes }) => ({ resourceName, deviceIds: [id], ...topologyOf(numaNodes) })),
  );
}

function devicesOf({ devices }: PodResourcesSource, uid: string, container: string): ContainerDevices[] {
  return (devices?.allocationsOf(uid, container) ?? []).flatMap(({ resource, ids }) =>
    ids.map((id) => ({
      resourceName: resource,
      deviceIds: [id],
      ...topologyOf(devices?.device(resource, id)?.numaNodes ?? []),
    })),
  );
}

function topologyOf(numaNodes: readonly number[]): { readonly topology?: Topology } {
  return numaNodes.length > 0 ? { topology: { nodes: numaNodes.map((ID) => ({ ID })) } } : {};
}

function dynamicResource({ name, namespace, drivers }: PreparedClaim): object {
  const claimResources = Object.entries(drivers).flatMap(([driverName, devices]) =>
    devices.map(({ pool, device, cdiDevices }) => ({
      cdiDevices: cdiDevices.map((cdi) => ({ name: cdi })),
      driverName,
      poolName: pool,
      deviceName: device,
    })),
  );
  return { claimName: name, claimNamespace: namespace, claimResources };
}
