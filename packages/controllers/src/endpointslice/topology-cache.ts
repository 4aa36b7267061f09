import type { EndpointSlice, Node } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import type { SlicesPlan } from './plan-slices.js';
import { planHints } from './topology-hints.js';
import { isOverloaded, type ZoneShares, zoneShares } from './zone-shares.js';

/** The event about the hints of a service. */
export interface HintsNews {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled';
  readonly message: string;
}

export interface FamilyOfService {
  readonly service: ObjectKey;
  readonly addressType: string;
}

/** The services with hints, by zone: when nodes are added or removed, their hints may have to change. */
export class TopologyCache {
  readonly #nodes: () => readonly Node[];
  /** Service → address type → zone → number of endpoints for it. */
  readonly #zones = new Map<ObjectKey, Map<string, ReadonlyMap<string, number>>>();
  /** Services with a recorded event about added hints. */
  readonly #hintedServices = new Set<ObjectKey>();
  /** Computed on first use. */
  #shares: { readonly value: ZoneShares | undefined } | undefined;

  constructor(nodes: () => readonly Node[]) {
    this.#nodes = nodes;
  }

  /** Returns the services that have too few endpoints for some zone now. */
  nodesChanged(): readonly ObjectKey[] {
    this.#shares = undefined;
    return [...this.#zones]
      .filter(([, families]) => [...families.values()].some((zones) => isOverloaded(zones, this.#current())))
      .map(([service]) => service);
  }

  assign(
    { service, addressType }: FamilyOfService,
    { plan, unchanged }: { readonly plan: SlicesPlan; readonly unchanged: readonly EndpointSlice[] },
  ): { readonly plan: SlicesPlan; readonly news: readonly HintsNews[] } {
    const hinted = planHints({ plan, unchanged, shares: this.#current() });
    if (hinted.problem !== undefined) {
      this.#forgetFamily({ service, addressType });
      return { plan: hinted.plan, news: [disabled(hinted.problem, addressType)] };
    }
    const families = this.#zones.get(service) ?? new Map<string, ReadonlyMap<string, number>>();
    this.#zones.set(service, families.set(addressType, hinted.zones));
    const isNew = !this.#hintedServices.has(service);
    this.#hintedServices.add(service);
    return { plan: hinted.plan, news: isNew ? [enabled(addressType)] : [] };
  }

  /** Topology hints were disabled for the service. */
  withdraw(family: FamilyOfService): readonly HintsNews[] {
    const hadHints = this.#hintedServices.has(family.service);
    this.#forgetFamily(family);
    return hadHints ? [disabled('Topology Aware Hints has been disabled', family.addressType)] : [];
  }

  /** The service was deleted. */
  forget(service: ObjectKey): void {
    this.#zones.delete(service);
    this.#hintedServices.delete(service);
  }

  #forgetFamily({ service, addressType }: FamilyOfService): void {
    const families = this.#zones.get(service);
    families?.delete(addressType);
    if (!families?.size) this.#zones.delete(service);
    this.#hintedServices.delete(service);
  }

  #current(): ZoneShares | undefined {
    this.#shares ??= { value: zoneShares(this.#nodes()) };
    return this.#shares.value;
  }
}

function enabled(addressType: string): HintsNews {
  const message = `Topology Aware Hints has been enabled, addressType: ${addressType}`;
  return { type: 'Normal', reason: 'TopologyAwareHintsEnabled', message };
}

function disabled(why: string, addressType: string): HintsNews {
  return { type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${why}, addressType: ${addressType}` };
}
