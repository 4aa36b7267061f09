import type { NodeInfo } from '../../cache/node-info.js';
import type { DeviceUse } from './allocated-devices.js';
import { mostKinds, type RequestKind } from './claim-requests.js';
import type { Answer, PoolChanges } from './device-pools.js';

const noPool: PoolChanges = { taken: 0, givenBack: 0 };

/**
 * The basis of cached answers. Compared by identity: `AnswerBases` returns one for equal classes of requests, devices
 * and allocations.
 */
export interface AnswerBasis {
  readonly kind: RequestKind;
  /** Changes with every resource slice. */
  readonly slicesVersion: number;
  readonly use: DeviceUse;
}

export class AnswerBases {
  readonly #bases = new Map<RequestKind, AnswerBasis>();

  of(kind: RequestKind, { version, use }: { readonly version: number; readonly use: DeviceUse }): AnswerBasis {
    const earlier = this.#bases.get(kind);
    if (earlier?.slicesVersion === version && earlier.use === use) return earlier;
    if (this.#bases.size >= mostKinds) this.#bases.clear();
    const basis = { kind, slicesVersion: version, use };
    this.#bases.set(kind, basis);
    return basis;
  }
}

/**
 * The last answer for a node, cached with the node: hundreds of nodes are evaluated for each pod of a template, of
 * which few change. It is cleared when the node object changes.
 */
export class NodeAnswer {
  readonly #basis: AnswerBasis;
  readonly #canFill: boolean;
  readonly #countThen: number;
  readonly #pool: PoolChanges;
  /** The other pools of a node whose devices are in several pools. */
  readonly #otherPools: readonly PoolChanges[] | undefined;

  constructor(basis: AnswerBasis, { canFill, countThen, changes }: Answer) {
    this.#basis = basis;
    this.#canFill = canFill;
    this.#countThen = countThen;
    this.#pool = changes[0] ?? noPool;
    this.#otherPools = changes.length > 1 ? changes.slice(1) : undefined;
  }

  /** Whether there are devices for such requests, if the answer is still valid. */
  static of({ devices }: NodeInfo, basis: AnswerBasis): boolean | undefined {
    if (!(devices instanceof NodeAnswer) || devices.#basis !== basis) return undefined;
    return devices.#holds() ? devices.#canFill : undefined;
  }

  #holds(): boolean {
    const count = this.#count(this.#pool);
    if (!this.#otherPools) return count === this.#countThen;
    return this.#otherPools.reduce((sum, pool) => sum + this.#count(pool), count) === this.#countThen;
  }

  #count({ taken, givenBack }: PoolChanges): number {
    return this.#canFill ? taken : givenBack;
  }
}
