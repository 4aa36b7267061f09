import type { EndpointSlice, Service } from '@coracle/api';
import { chooseEndpoints, type Topology } from './choose-endpoints.js';
import { ElementTable } from './element-table.js';
import { endpointsOf } from './endpoint.js';
import type { Affinity, StaleConnections } from './packet-filter.js';
import { type Element, planServicePort } from './plan-service.js';
import { dropTable, neededChain, type TableOptions, tableRules, usualChains } from './proxy-table.js';
import { type Family, servicePorts } from './service-port.js';
import { type ServedPort, staleConnections } from './stale-connections.js';
import { chainsNeededBy, writeChanges } from './write-changes.js';

/** The new state of a service: `undefined` if it was deleted. */
export interface ServiceState {
  readonly key: string;
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

/** The rules of one address family: services in, statements out. Pure. */
export class FamilyRules {
  readonly family: Family;
  readonly #options: TableOptions;
  readonly #elements = new ElementTable();
  readonly #ports = new Map<string, Map<string, ServedPort>>();
  readonly #stickyServices = new Set<string>();
  readonly #chains = new Set<string>();

  constructor(family: Family, options: TableOptions) {
    this.family = family;
    this.#options = options;
  }

  get size(): number {
    return this.#elements.size;
  }

  /** Updates a service, and returns the flows that become stale. */
  update({ key, service, slices }: ServiceState, topology: Topology): StaleConnections[] {
    const before = this.#ports.get(key) ?? new Map<string, ServedPort>();
    const after = new Map<string, ServedPort>();
    const elements: Element[] = [];
    for (const port of service ? servicePorts(service, this.family) : []) {
      const id = `${port.portName}/${port.protocol}`;
      const chosen = chooseEndpoints(endpointsOf(slices, port, this.family), port, topology);
      const { nodeName } = topology;
      const plan = planServicePort({ port, chosen, nodeName, previous: before.get(id)?.slots });
      elements.push(...plan.elements);
      after.set(id, { port, slots: plan.slots });
    }
    this.#elements.replace(key, elements);
    if ([...after.values()].some(({ port }) => port.affinitySeconds > 0)) this.#stickyServices.add(key);
    else this.#stickyServices.delete(key);
    if (after.size > 0) this.#ports.set(key, after);
    else this.#ports.delete(key);
    const ids = new Set([...before.keys(), ...after.keys()]);
    return [...ids].flatMap((id) => staleConnections(before.get(id), after.get(id), this.family));
  }

  /** Whether there are changes to write. */
  get isChanged(): boolean {
    return this.#elements.isChanged;
  }

  /** The statements since the last time; empty if nothing has changed. Clients of removed endpoints get another. */
  takeStatements(affinities: readonly Affinity[] = []): string {
    const changes = this.#elements.takeChanges();
    const chains = [...chainsNeededBy(changes.added)].filter((chain) => !this.#chains.has(chain));
    // nft 1.0 cannot add a rule that looks endpoints up to a table that is there already: the table is replaced.
    if (chains.some((chain) => !chain.startsWith('remember-'))) return this.takeWhole(affinities);
    const stale = affinities.filter(this.#isStale());
    const forgotten = stale.map(({ key, target }) => ({ map: 'affinity', key, value: target }));
    return (
      this.#writeChains(chains) +
      writeChanges(this.family, changes) +
      writeChanges(this.family, { removed: forgotten, added: [] })
    );
  }

  /** The statements that replace the whole table. Clients keep their endpoints. */
  takeWhole(affinities: readonly Affinity[] = []): string {
    this.#elements.takeChanges();
    this.#chains.clear();
    const isStale = this.#isStale();
    const rest = affinities.filter((one) => !isStale(one)).map(affinityElement);
    const added = [...this.#elements.all(), ...rest];
    return [
      dropTable(this.family),
      tableRules(this.family, this.#options),
      this.#writeChains([...new Set([...chainsNeededBy(added), ...usualChains()])]),
      writeChanges(this.family, { removed: [], added }),
    ].join('');
  }

  /** Whether an affinity leads to an endpoint that its service no longer has. */
  #isStale(): (affinity: Affinity) => boolean {
    const targets = new Map<string, Set<string>>();
    const sticky = [...this.#stickyServices].flatMap((key) => [...(this.#ports.get(key)?.values() ?? [])]);
    for (const { port, slots } of sticky) {
      const addresses = [...port.clusterIps, ...port.externalIps, ...port.loadBalancerIps];
      const frontends = [
        ...addresses.map((address) => `${address} . ${port.protocol} . ${port.port}`),
        ...(port.nodePort ? [`${port.protocol} . ${port.nodePort}`] : []),
      ];
      for (const frontend of frontends) targets.set(frontend, new Set([...slots.cluster, ...slots.local]));
    }
    return ({ frontend, target }) => {
      const entry = targets.get(frontend) ?? targets.get(frontend.split(' . ').slice(1).join(' . '));
      return !entry?.has(target);
    };
  }

  /** Whether any service keeps clients with their endpoints. */
  get hasAffinity(): boolean {
    return this.#stickyServices.size > 0;
  }

  #writeChains(names: readonly string[]): string {
    for (const name of names) this.#chains.add(name);
    return names.map((name) => neededChain(name, this.family, this.#options)).join('');
  }
}

/** As it is written into a new table, with the time that is left of it. */
function affinityElement({ key, target, timeout, expires }: Affinity): Element {
  const times = [timeout && ` timeout ${timeout}s`, expires && ` expires ${expires}s`].filter(Boolean).join('');
  return { map: 'affinity', key: key + times, value: target };
}
