import { type Container, type Pod, refs, type resourcev1 } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { Checkpoints } from '../checkpoints.js';

/** A claim, as it is passed to drivers. */
export interface ClaimName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A device that a driver has prepared. */
export interface PreparedDevice {
  /** The requests of the claim for which it was allocated. */
  readonly requests: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly cdiDevices: readonly string[];
}

/** A driver of dynamic resources on this node. */
export interface ClaimDriver {
  readonly name: string;
  /** Throws if a claim cannot be prepared. */
  prepare(claim: ClaimName): Promise<readonly PreparedDevice[]>;
  unprepare(claim: ClaimName): Promise<void>;
}

export interface ClaimManagerOptions {
  readonly client: Client;
  readonly driverOf: (name: string) => ClaimDriver | undefined;
  readonly checkpoints: Checkpoints;
  readonly logger: Logger;
}

/** A prepared claim, and the pods that use it. */
export interface PreparedClaim extends ClaimName {
  readonly pods: readonly string[];
  readonly drivers: Readonly<Record<string, readonly PreparedDevice[]>>;
}

const checkpointName = 'dra_manager_state';

/** Lets drivers prepare the devices of resource claims before containers use them, and unprepare them afterwards. */
export class ClaimManager {
  readonly #options: ClaimManagerOptions;
  /** By uid. */
  #claims: ReadonlyMap<string, PreparedClaim> = new Map();
  /** Serialized, because pods may share a claim. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ClaimManagerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { checkpoints, logger } = this.#options;
    try {
      const text = await checkpoints.read(checkpointName);
      const claims = text === undefined ? [] : (JSON.parse(text) as readonly PreparedClaim[]);
      this.#claims = new Map(claims.map((claim) => [claim.uid, claim]));
    } catch (error) {
      logger.error('The checkpoint of resource claims could not be read', { error });
    }
  }

  /** Prepares the claims of the pod. Throws if that is not possible. */
  prepare(pod: Pod): Promise<void> {
    if (claimNamesOf(pod).length === 0) return Promise.resolve();
    return this.#next(() => this.#prepare(pod));
  }

  /** Unprepares the claims that only finished pods use. */
  release(isActive: (podUid: string) => boolean): Promise<void> {
    if (![...this.#claims.values()].some(({ pods }) => !pods.every(isActive))) return Promise.resolve();
    return this.#next(() => this.#release(isActive));
  }

  /** The prepared claims of a container, with the devices of its requests. */
  claimsOf(pod: Pod, container: Container): readonly PreparedClaim[] {
    return usesOf(pod, container).flatMap(({ claimName, request }) => {
      const found = [...this.#claims.values()].find(
        (claim) => claim.name === claimName && claim.namespace === pod.metadata.namespace,
      );
      return found ? [request === undefined ? found : withRequest(found, request)] : [];
    });
  }

  cdiDevicesOf(pod: Pod, container: Container): readonly string[] {
    const devices = this.claimsOf(pod, container).flatMap(({ drivers }) => Object.values(drivers).flat());
    return [...new Set(devices.flatMap(({ cdiDevices }) => cdiDevices))];
  }

  async #prepare(pod: Pod): Promise<void> {
    for (const claimName of claimNamesOf(pod)) {
      const claim = await this.#readClaim(pod, claimName);
      await this.#prepareClaim(pod, claim);
    }
  }

  async #readClaim(pod: Pod, name: string): Promise<resourcev1.ResourceClaim> {
    const { namespace = '', uid = '' } = pod.metadata;
    const claims = this.#options.client.resource(refs.resourceClaims, namespace);
    const claim = await claims.get(name).catch((error: unknown) => {
      throw isNotFound(error)
        ? new Error(`failed to fetch ResourceClaim ${name} referenced by pod ${pod.metadata.name}`)
        : error;
    });
    const isReserved = claim.status?.reservedFor?.some((user) => user.uid === uid);
    if (!isReserved)
      throw new Error(`pod ${namespace}/${pod.metadata.name} is not allowed to use resource claim ${name}`);
    if (!claim.status?.allocation) throw new Error(`resource claim ${name} is not allocated`);
    return claim;
  }

  async #prepareClaim(pod: Pod, { metadata, status }: resourcev1.ResourceClaim): Promise<void> {
    const { namespace = '', name = '', uid = '' } = metadata;
    const current = this.#claims.get(uid);
    const podUid = pod.metadata.uid ?? '';
    const drivers: Record<string, readonly PreparedDevice[]> = { ...current?.drivers };
    const results = status?.allocation?.devices?.results ?? [];
    for (const driverName of new Set(results.map(({ driver }) => driver))) {
      if (drivers[driverName]) continue;
      const driver = this.#options.driverOf(driverName);
      if (!driver) throw new Error(`DRA driver ${driverName} is not registered`);
      drivers[driverName] = await driver.prepare({ namespace, name, uid });
    }
    const pods = [...new Set([...(current?.pods ?? []), podUid])];
    this.#claims = new Map([...this.#claims, [uid, { namespace, name, uid, pods, drivers }]]);
    await this.#save();
  }

  async #release(isActive: (podUid: string) => boolean): Promise<void> {
    for (const claim of this.#claims.values()) {
      const pods = claim.pods.filter(isActive);
      if (pods.length === claim.pods.length) continue;
      const result = new Map(this.#claims);
      if (pods.length > 0) result.set(claim.uid, { ...claim, pods });
      else {
        await this.#unprepare(claim);
        result.delete(claim.uid);
      }
      this.#claims = result;
    }
    await this.#save();
  }

  async #unprepare({ namespace, name, uid, drivers }: PreparedClaim): Promise<void> {
    for (const driverName of Object.keys(drivers)) {
      const driver = this.#options.driverOf(driverName);
      if (!driver) throw new Error(`DRA driver ${driverName} is not registered`);
      await driver.unprepare({ namespace, name, uid });
    }
  }

  #next(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #save(): Promise<void> {
    await this.#options.checkpoints.write(checkpointName, JSON.stringify([...this.#claims.values()]));
  }
}

/** The name of the claim for a name in the pod: a claim, or one created from a template. */
function claimNameOf({ spec, status }: Pod, name: string): string | undefined {
  const entry = spec?.resourceClaims?.find((one) => one.name === name);
  return entry?.resourceClaimName ?? status?.resourceClaimStatuses?.find((one) => one.name === name)?.resourceClaimName;
}

/** All claims of the pod, including the scheduler's claim for extended resources. */
function claimNamesOf(pod: Pod): readonly string[] {
  const named = (pod.spec?.resourceClaims ?? []).map(({ name }) => claimNameOf(pod, name));
  // A template may create no claim.
  return [...named, pod.status?.extendedResourceClaimStatus?.resourceClaimName].filter((name) => name !== undefined);
}

interface ClaimUse {
  readonly claimName: string | undefined;
  /** All requests of the claim if absent. */
  readonly request: string | undefined;
}

/** The claims of a container, including its requests in the claim for extended resources. */
function usesOf(pod: Pod, container: Container): readonly ClaimUse[] {
  const named = (container.resources?.claims ?? []).map(({ name, request }) => ({
    claimName: claimNameOf(pod, name),
    request,
  }));
  const { resourceClaimName: claimName, requestMappings = [] } = pod.status?.extendedResourceClaimStatus ?? {};
  const extended = requestMappings
    .filter(({ containerName }) => containerName === container.name)
    .map(({ requestName: request }) => ({ claimName, request }));
  return [...named, ...extended];
}

/** Alternatives of a request are named `request/alternative`. */
function withRequest(claim: PreparedClaim, request: string): PreparedClaim {
  const isOfRequest = ({ requests }: PreparedDevice) =>
    requests.length === 0 || requests.some((one) => one === request || one.startsWith(`${request}/`));
  const drivers = Object.entries(claim.drivers).map(([name, devices]) => [name, devices.filter(isOfRequest)]);
  return { ...claim, drivers: Object.fromEntries(drivers) };
}
