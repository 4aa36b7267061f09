import type { DeviceGrant } from './device-plugin.js';

/** Devices of a container, also before it starts. */
export interface DeviceAllocation {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  readonly ids: readonly string[];
  readonly grant: DeviceGrant;
}

/** The device allocations of the node by container. */
export class DeviceAllocations {
  #all: readonly DeviceAllocation[] = [];

  add(allocation: DeviceAllocation): void {
    this.#all = [...this.#all, allocation];
  }

  /** Releases the devices of all unknown pods. */
  keep(isKnown: (podUid: string) => boolean): boolean {
    const rest = this.#all.filter(({ podUid }) => isKnown(podUid));
    const changed = rest.length < this.#all.length;
    this.#all = rest;
    return changed;
  }

  of(podUid: string, container?: string): readonly DeviceAllocation[] {
    return this.#all.filter((one) => one.podUid === podUid && (container === undefined || one.container === container));
  }

  inUse(resource: string): ReadonlySet<string> {
    return new Set(this.#all.flatMap((one) => (one.resource === resource ? one.ids : [])));
  }

  /** In the format of the kubelet's checkpoint, which other tools read. */
  toText(registered: Readonly<Record<string, readonly string[]>>): string {
    const entries = this.#all.map(({ podUid, container, resource, ids, grant }) => ({
      PodUID: podUid,
      ContainerName: container,
      ResourceName: resource,
      DeviceIDs: { '-1': ids },
      Grant: grant,
    }));
    return JSON.stringify({ Data: { PodDeviceEntries: entries, RegisteredDevices: registered } });
  }

  /** Restores a checkpoint. Throws if the text is not one. */
  fromText(text: string): void {
    const { Data } = JSON.parse(text) as { Data: { PodDeviceEntries: readonly CheckpointEntry[] } };
    this.#all = Data.PodDeviceEntries.map((entry) => ({
      podUid: entry.PodUID,
      container: entry.ContainerName,
      resource: entry.ResourceName,
      ids: Object.values(entry.DeviceIDs).flat(),
      grant: entry.Grant,
    }));
  }
}

interface CheckpointEntry {
  readonly PodUID: string;
  readonly ContainerName: string;
  readonly ResourceName: string;
  readonly DeviceIDs: Readonly<Record<string, readonly string[]>>;
  readonly Grant: DeviceGrant;
}
