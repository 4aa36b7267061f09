import { type Node, type resourcev1, toleratesDeviceTaint } from '@coracle/api';
import { writeJson } from '@coracle/apimachinery';
import type { Clock, Millis } from '@coracle/base';
import type { DeviceUse } from './allocated-devices.js';
import type { Candidates, NodeDevices, PoolDevice } from './device-pools.js';
import type { DeviceSelectors } from './device-selectors.js';

export interface AllocationInput {
  readonly claims: readonly resourcev1.ResourceClaim[];
  /** The requests of the claims. They do not depend on the node, so all nodes share them. */
  readonly requests: ClaimRequests;
  readonly node: Node;
  readonly available: NodeDevices;
  /** Devices that other claims have. */
  readonly use: DeviceUse;
  /** Generates the ids of shares. */
  readonly shareId: () => string;
  readonly selectors: DeviceSelectors;
  readonly classOf: (name: string) => resourcev1.DeviceClass | undefined;
  /** Timeout of the search; unlimited if absent. */
  readonly timeLimit?: TimeLimit | undefined;
}

export interface TimeLimit {
  readonly clock: Pick<Clock, 'now'>;
  readonly limitMs: Millis;
}

/** One request of a claim: the first available alternative is used. */
export interface ClaimRequest {
  /** The uid of the claim. */
  readonly claim: string;
  readonly constraints: readonly resourcev1.DeviceConstraint[];
  readonly choices: readonly RequestChoice[];
}

export interface RequestChoice {
  /** `request`, or `request/subrequest`. */
  readonly name: string;
  readonly className: string;
  readonly selectors: readonly resourcev1.DeviceSelector[];
  readonly tolerations: readonly resourcev1.DeviceToleration[];
  readonly mode: 'All' | 'ExactCount';
  readonly count: number;
  readonly adminAccess: boolean;
  /** Requested capacities of the device, by name. */
  readonly capacity: Readonly<Record<string, string>>;
}

export function readRequests({ metadata, spec }: resourcev1.ResourceClaim): ClaimRequest[] {
  const { requests = [], constraints = [] } = spec.devices ?? {};
  return requests.map(({ name, exactly, firstAvailable = [] }) => ({
    claim: metadata.uid ?? '',
    constraints,
    choices: exactly
      ? [choiceOf(name, exactly, exactly.adminAccess)]
      : firstAvailable.map((one) => choiceOf(`${name}/${one.name}`, one, false)),
  }));
}

function choiceOf(
  name: string,
  request: resourcev1.ExactDeviceRequest | resourcev1.DeviceSubRequest,
  adminAccess = false,
): RequestChoice {
  const { deviceClassName, selectors = [], tolerations = [], allocationMode, count = 1, capacity } = request;
  const mode = allocationMode === 'All' ? 'All' : 'ExactCount';
  return {
    name,
    className: deviceClassName,
    selectors,
    tolerations,
    mode,
    count: Number(count),
    adminAccess,
    capacity: capacity?.requests ?? {},
  };
}

/** The devices that a choice requests. */
interface Criteria {
  /** Equal for choices with the same requests. */
  readonly key: string;
  /** All selectors must match; `undefined` if the class does not exist. */
  readonly expressions: readonly string[] | undefined;
}

/** A class of requests that match the same devices. Compared by identity. */
export interface RequestKind {
  readonly key: string;
}

/** Maximum number of cached classes: more than are scheduled at a time. */
const mostRememberedKinds = 256;

/** Returns one object for equal classes. */
export class RequestKinds {
  readonly #kinds = new Map<string, RequestKind>();

  of(key: string): RequestKind {
    let kind = this.#kinds.get(key);
    if (!kind) {
      if (this.#kinds.size >= mostRememberedKinds) this.#kinds.clear();
      kind = { key };
      this.#kinds.set(key, kind);
    }
    return kind;
  }
}

/** The requests of some claims, parsed once for all nodes. */
export class ClaimRequests {
  readonly all: readonly ClaimRequest[];
  /** Whether some of them are for all devices that suit. */
  readonly hasAll: boolean;
  /** How many devices they are for at the most, besides those that are for all. */
  readonly mostDevices: number;
  readonly #classOf: (name: string) => resourcev1.DeviceClass | undefined;
  readonly #kinds: RequestKinds;
  readonly #criteria = new Map<RequestChoice, Criteria>();
  #kind: RequestKind | undefined;

  constructor(
    claims: readonly resourcev1.ResourceClaim[],
    {
      classOf,
      kinds,
    }: {
      readonly classOf: (name: string) => resourcev1.DeviceClass | undefined;
      readonly kinds: RequestKinds;
    },
  ) {
    this.all = claims.flatMap((claim) => readRequests(claim));
    this.hasAll = this.all.some(({ choices }) => choices.some(({ mode }) => mode === 'All'));
    this.mostDevices = this.all.reduce(
      (sum, { choices }) => sum + Math.max(0, ...choices.map(({ count }) => count)),
      0,
    );
    this.#classOf = classOf;
    this.#kinds = kinds;
  }

  /** The same object for requests that match the same devices. */
  get kind(): RequestKind {
    this.#kind ??= this.#kinds.of(
      writeJson(
        this.all.map(({ claim, constraints, choices }) => [
          this.all.findIndex((one) => one.claim === claim),
          constraints,
          choices.map((choice) => [
            choice.name,
            this.criteriaOf(choice).key,
            choice.mode,
            choice.count,
            choice.capacity,
          ]),
        ]),
      ),
    );
    return this.#kind;
  }

  criteriaOf(choice: RequestChoice): Criteria {
    let criteria = this.#criteria.get(choice);
    if (!criteria) {
      const { tolerations, adminAccess } = choice;
      const expressions = this.#expressions(choice);
      criteria = { key: writeJson([expressions, adminAccess, tolerations]), expressions };
      this.#criteria.set(choice, criteria);
    }
    return criteria;
  }

  #expressions({ className, selectors }: RequestChoice): string[] | undefined {
    const deviceClass = this.#classOf(className);
    return (
      deviceClass &&
      [...(deviceClass.spec.selectors ?? []), ...selectors].flatMap(({ cel }) => (cel ? [cel.expression] : []))
    );
  }
}

/** Maximum number of classes of requests for which a node caches the devices. */
export const mostKinds = 16;

/** The devices that match a request, allocated or not. Computed once for all equal requests of a node. */
export function candidatesOf({ available, selectors, requests }: AllocationInput, choice: RequestChoice): Candidates {
  const { key, expressions } = requests.criteriaOf(choice);
  const cached = available.candidates.get(key);
  if (cached) return cached;
  const devices = expressions
    ? available.devices.filter(
        (device) =>
          toleratesTaints(choice, device) && expressions.every((expression) => selectors.matches(expression, device)),
      )
    : [];
  const found = { devices, hasShares: devices.some(({ device }) => device.allowMultipleAllocations) };
  if (available.candidates.size >= mostKinds) available.candidates.clear();
  available.candidates.set(key, found);
  return found;
}

/** A claim with admin access ignores the taints of devices. */
function toleratesTaints({ tolerations, adminAccess }: RequestChoice, { device }: PoolDevice): boolean {
  if (adminAccess) return true;
  return (device.taints ?? []).every(
    (taint) => taint.effect === 'None' || tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)),
  );
}
