import type { Node, resourcev1 } from '@coracle/api';
import { deepEqual, type Millis } from '@coracle/base';
import {
  type AllocationInput,
  type ClaimRequest,
  candidatesOf,
  mostKinds,
  type RequestChoice,
} from './claim-requests.js';
import { CounterUse } from './counter-use.js';
import { type Amounts, fitsBeside, hasCapacity, shareOf } from './device-capacity.js';
import type { PoolChanges, PoolDevice } from './device-pools.js';
import { qualifiedName } from './device-selectors.js';

/** The devices of one claim, by request. */
export interface ChosenDevice {
  readonly request: string;
  readonly choice: RequestChoice;
  readonly device: PoolDevice;
  /** The consumed capacity, if the device is shared. */
  readonly share?: Amounts;
}

/**
 * Whether there are devices for all claims on the node. Hundreds of nodes are evaluated for each pod, of which few have
 * changed since the last pod with the same requests: the others are not searched again.
 */
export function canAllocate(input: AllocationInput): 'yes' | 'no' | 'timed-out' {
  const { requests, use } = input;
  const { answers, pools } = input.available;
  const answer = answers.get(requests.kind);
  if (answer?.use === use && answer.countThen === countOf(answer.changes, answer.canFill))
    return answer.canFill ? 'yes' : 'no';
  const search = new Search(input);
  const canFill = search.fill(0);
  // A repeated search may finish in time.
  if (search.isOverdue) return 'timed-out';
  if (answers.size >= mostKinds) answers.clear();
  const changes = pools.map((pool) => use.changesOf(pool));
  answers.set(requests.kind, { canFill, use, changes, countThen: countOf(changes, canFill) });
  return canFill ? 'yes' : 'no';
}

/** While this number stays the same, the result for the same requests and pools is still valid. */
function countOf(pools: readonly PoolChanges[], canFill: boolean): number {
  let sum = 0;
  for (const { taken, givenBack } of pools) sum += canFill ? taken : givenBack;
  return sum;
}

/**
 * Allocates devices for all claims at once, and returns the status of each; `undefined` if there are not enough.
 * Requests are filled in order, with backtracking.
 */
export function allocateDevices(input: AllocationInput): Map<string, resourcev1.AllocationResult> | undefined {
  const search = new Search(input);
  if (!search.fill(0)) return undefined;
  return new Map(
    input.claims.map(({ metadata, spec }) => [
      `${metadata.namespace}/${metadata.name}`,
      allocationOf(input, spec, search.chosenFor(metadata.uid ?? '')),
    ]),
  );
}

/**
 * Maximum number of steps, after which the pod counts as unschedulable: the search is exponential in the worst case.
 */
const mostSteps = 100_000;
/** Number of steps between two checks of the clock. */
const stepsPerLook = 256;

class Search {
  readonly #input: AllocationInput;
  readonly #requests: readonly ClaimRequest[];
  /** Devices that this search has allocated exclusively. */
  readonly #taken = new Set<string>();
  readonly #counters: CounterUse;
  readonly #chosen: { readonly claim: string; readonly chosen: ChosenDevice }[] = [];
  readonly #deadline: Millis;
  #steps = 0;
  #isOverdue = false;

  constructor(input: AllocationInput) {
    this.#input = input;
    this.#requests = input.requests.all;
    const { timeLimit } = input;
    this.#deadline = timeLimit ? timeLimit.clock.now() + timeLimit.limitMs : Number.POSITIVE_INFINITY;
    this.#counters = new CounterUse(input.available.counters, input.available.devices, input.use);
  }

  /** Whether the search timed out. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  chosenFor(claim: string): ChosenDevice[] {
    return this.#chosen.filter((one) => one.claim === claim).map(({ chosen }) => chosen);
  }

  /** Allocates devices for the requests from `index` on. */
  fill(index: number): boolean {
    const request = this.#requests[index];
    if (!request) return true;
    return request.choices.some((choice) => this.#fillChoice(index, request, choice));
  }

  #fillChoice(index: number, request: ClaimRequest, choice: RequestChoice): boolean {
    const { devices: candidates, hasShares } = candidatesOf(this.#input, choice);
    // Selectors may take long.
    if (this.#look()) return false;
    if (choice.mode === 'All') {
      if (candidates.length === 0 || this.#input.available.unusable.length > 0) return false;
      return this.#take({ index, request, choice, candidates, count: candidates.length, hasShares: false }, 0);
    }
    return this.#take({ index, request, choice, candidates, count: choice.count, hasShares }, 0);
  }

  /** Allocates `count` devices of the candidates from `from` on, then continues with the next request. */
  #take(step: Step, from: number): boolean {
    const { index, request, choice, candidates, count } = step;
    if (count === 0) return this.fill(index + 1);
    for (let at = from; at <= candidates.length - (step.hasShares ? 1 : count); at++) {
      const device = candidates[at];
      if (!device || ++this.#steps > mostSteps || this.#isOverdue) return false;
      if (this.#steps % stepsPerLook === 0 && this.#look()) return false;
      const one = this.#choose(request, choice, device);
      if (!one) {
        if (choice.mode === 'All') return false;
        continue;
      }
      const undo = this.#put(request, one);
      // One request may have several shares of a shared device.
      if (this.#take({ ...step, count: count - 1 }, one.share && choice.mode !== 'All' ? at : at + 1)) return true;
      undo();
    }
    return false;
  }

  /** Whether the search has timed out. */
  #look(): boolean {
    const { timeLimit } = this.#input;
    if (timeLimit && timeLimit.clock.now() >= this.#deadline) this.#isOverdue = true;
    return this.#isOverdue;
  }

  /** The device as it would be allocated, exclusively or shared; `undefined` if it is not available. */
  #choose(request: ClaimRequest, choice: RequestChoice, device: PoolDevice): ChosenDevice | undefined {
    const one = this.#available(choice, device);
    if (!one) return undefined;
    if (request.constraints.length === 0) return one;
    const others = this.chosenFor(request.claim);
    return request.constraints.every((constraint) => holds(constraint, [...others, one])) ? one : undefined;
  }

  #available(choice: RequestChoice, device: PoolDevice): ChosenDevice | undefined {
    const whole = { request: choice.name, choice, device };
    const { use } = this.#input;
    if (choice.adminAccess) return hasCapacity(device, choice.capacity) ? whole : undefined;
    if (use.isTaken(device.id) || this.#taken.has(device.id)) return undefined;
    if (!device.device.allowMultipleAllocations) {
      const isFree = !use.isShared(device.id) && this.#counters.hasRoom(device);
      return isFree && hasCapacity(device, choice.capacity) ? whole : undefined;
    }
    const share = shareOf(device, choice.capacity);
    const chosen = this.#sharesOf(device.id);
    const isCounted = use.isShared(device.id) || chosen.length > 0;
    if (!share || !fitsBeside(device, share, { use, chosen })) return undefined;
    return isCounted || this.#counters.hasRoom(device) ? { ...whole, share } : undefined;
  }

  #sharesOf(id: string): Amounts[] {
    return this.#chosen.flatMap(({ chosen }) => (chosen.device.id === id && chosen.share ? [chosen.share] : []));
  }

  #put(request: ClaimRequest, chosen: ChosenDevice): () => void {
    const { choice, device, share } = chosen;
    // The counters of a shared device are consumed once, with the first share.
    const isFirst = !share || (!this.#input.use.isShared(device.id) && this.#sharesOf(device.id).length === 0);
    const counts = !choice.adminAccess && isFirst;
    this.#chosen.push({ claim: request.claim, chosen });
    if (counts) this.#counters.add(device);
    if (!choice.adminAccess && !share) this.#taken.add(device.id);
    return () => {
      this.#chosen.pop();
      if (counts) this.#counters.remove(device);
      if (!choice.adminAccess && !share) this.#taken.delete(device.id);
    };
  }
}

interface Step {
  readonly index: number;
  readonly request: ClaimRequest;
  readonly choice: RequestChoice;
  readonly candidates: readonly PoolDevice[];
  readonly count: number;
  /** Some candidates are shared devices: there may be fewer devices than requested. */
  readonly hasShares: boolean;
}

/** Constraint: all devices of the requests have the attribute, with the same value, or with distinct values. */
function holds(
  { requests = [], matchAttribute, distinctAttribute }: resourcev1.DeviceConstraint,
  chosen: readonly ChosenDevice[],
): boolean {
  const isMeant = ({ request }: ChosenDevice) =>
    requests.length === 0 || requests.includes(request) || requests.includes(request.split('/')[0] ?? '');
  const name = matchAttribute ?? distinctAttribute;
  if (name === undefined) return true;
  const values = chosen.filter(isMeant).map(({ device }) => attributeOf(device, name));
  if (values.includes(undefined)) return false;
  if (matchAttribute !== undefined) return values.every((value) => deepEqual(value, values[0]));
  return values.every((value, index) => values.findIndex((other) => deepEqual(other, value)) === index);
}

function attributeOf({ driver, device }: PoolDevice, name: string): resourcev1.DeviceAttribute | undefined {
  const found = Object.entries(device.attributes ?? {}).find(([key]) => qualifiedName(driver, key) === name);
  return found?.[1];
}

function allocationOf(
  { node, classOf, shareId }: AllocationInput,
  { devices }: resourcev1.ResourceClaimSpec,
  chosen: readonly ChosenDevice[],
): resourcev1.AllocationResult {
  const results = chosen.map(({ request, choice, device, share }) => ({
    request,
    driver: device.driver,
    pool: device.pool,
    device: device.device.name,
    ...(choice.adminAccess && { adminAccess: true }),
    ...(share && {
      shareID: shareId(),
      consumedCapacity: Object.fromEntries([...share].map(([name, amount]) => [name, amount.toString()])),
    }),
    ...(choice.tolerations.length > 0 && { tolerations: [...choice.tolerations] }),
    ...(device.device.bindingConditions && { bindingConditions: device.device.bindingConditions }),
    ...(device.device.bindingFailureConditions && { bindingFailureConditions: device.device.bindingFailureConditions }),
  }));
  const fromClasses = [...new Map(chosen.map(({ request, choice }) => [request, choice.className]))].flatMap(
    ([request, className]) =>
      (classOf(className)?.spec.config ?? []).map(({ opaque }) => ({
        source: 'FromClass',
        requests: [request],
        ...(opaque && { opaque }),
      })),
  );
  const fromClaim = (devices?.config ?? []).map((config) => ({ source: 'FromClaim', ...config }));
  const config = [...fromClasses, ...fromClaim];
  const nodeSelector = selectorOf(node, chosen);
  return {
    devices: { results, ...(config.length > 0 && { config }) },
    ...(nodeSelector && { nodeSelector }),
  };
}

/** The node selector of the allocation: the nodes that can use all of the devices. */
function selectorOf(node: Node, chosen: readonly ChosenDevice[]): resourcev1.AllocationResult['nodeSelector'] {
  const isLocal = chosen.some(({ device: { reach, device } }) => reach === 'node' || device.bindsToNode);
  if (isLocal)
    return {
      nodeSelectorTerms: [
        { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node.metadata.name ?? ''] }] },
      ],
    };
  const [term] = chosen.flatMap(({ device }) => device.nodeSelector?.nodeSelectorTerms ?? []);
  if (!term) return undefined;
  const all = chosen.flatMap(({ device }) => device.nodeSelector?.nodeSelectorTerms ?? []);
  return {
    nodeSelectorTerms: [
      {
        ...(all.some(({ matchExpressions }) => matchExpressions) && {
          matchExpressions: all.flatMap(({ matchExpressions = [] }) => matchExpressions),
        }),
        ...(all.some(({ matchFields }) => matchFields) && {
          matchFields: all.flatMap(({ matchFields = [] }) => matchFields),
        }),
      },
    ],
  };
}
