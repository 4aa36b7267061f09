import { type flowcontrolv1, refs } from '@coracle/api';
import { type Clock, type Metrics, type Millis, monotonicNow } from '@coracle/base';
import type { ObjectReader } from '../object-reader.js';
import {
  priorityLevels as builtInLevels,
  flowSchemas as builtInSchemas,
} from '../registry/flowcontrol/flow-control-objects.js';
import type { ResourceTable } from '../registry/resource-table.js';
import type { RequestInfo } from '../request-info.js';
import type { UserInfo } from '../user-info.js';
import { followCache } from '../watching/follow-cache.js';
import { computeBorrowing, computeLimits, smoothDemand } from './compute-limits.js';
import { FlowControlMetrics, type FlowLabels, flowLabelsOf } from './flow-control-metrics.js';
import { matchesRequest, rulesFor } from './match-flow-schema.js';
import { PriorityLevel } from './priority-level.js';
import { TurnBudget } from './turn-budget.js';

type FlowSchemaObject = flowcontrolv1.FlowSchema;
type LevelObject = flowcontrolv1.PriorityLevelConfiguration;
type Rules = NonNullable<NonNullable<FlowSchemaObject['spec']>['rules']>;

/** Assigns requests to priority levels and flows. */
export interface FlowSchema {
  readonly name: string;
  readonly level: PriorityLevel;
  readonly rules: Rules;
  readonly distinguisher: string | undefined;
  readonly labels: FlowLabels;
  /** Response headers with the UIDs of the flow schema and the priority level. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface FlowControllerOptions {
  readonly objects: ObjectReader;
  readonly resources: ResourceTable;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
  readonly serverSeats: number;
  readonly waitLimitMs: Millis;
}

const borrowingPeriodMs: Millis = 10_000;

/** Configures queues from FlowSchemas and PriorityLevelConfigurations. A change takes effect with the next request. */
export class FlowController implements Disposable {
  readonly metrics: FlowControlMetrics;
  readonly levels = new Map<string, PriorityLevel>();
  readonly #options: FlowControllerOptions;
  readonly #turn: TurnBudget;
  readonly #subscriptions: Disposable[] = [];
  #schemas: readonly FlowSchema[] = [];
  /** The schemas that match a user, with the matching rules. */
  #byUser = new WeakMap<UserInfo, readonly { readonly schema: FlowSchema; readonly rules: Rules }[]>();
  #isStale = true;
  #borrowedAt: Millis;

  constructor(options: FlowControllerOptions) {
    this.#options = options;
    this.metrics = new FlowControlMetrics(options.metrics);
    this.#turn = new TurnBudget(options.clock);
    this.#borrowedAt = monotonicNow(options.clock);
    this.#watch();
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  classify(user: UserInfo, info: RequestInfo): FlowSchema {
    this.refresh();
    this.#turn.seen(user.name);
    let candidates = this.#byUser.get(user);
    if (!candidates) {
      candidates = this.#schemas
        .map((schema) => ({ schema, rules: [...rulesFor(user, schema.rules)] }))
        .filter(({ rules }) => rules.length > 0);
      this.#byUser.set(user, candidates);
    }
    for (const { schema, rules } of candidates) if (matchesRequest(rules, info)) return schema;
    // Reached only by users without groups: the last schema is `catch-all`.
    return this.#schemas.at(-1) as FlowSchema;
  }

  /** Reads the objects again if they have changed, and adjusts the seats of levels periodically. */
  refresh(): void {
    if (this.#isStale) this.#configure();
    if (monotonicNow(this.#options.clock) - this.#borrowedAt >= borrowingPeriodMs) this.#borrow();
  }

  #watch(): void {
    for (const ref of [refs.flowSchemas, refs.priorityLevelConfigurations]) {
      const cache = this.#options.resources.findStored(ref)?.storage.cache;
      const onChange = () => {
        this.#isStale = true;
      };
      if (cache) this.#subscriptions.push(followCache(cache, { onEvent: onChange, onReload: onChange }));
    }
  }

  #configure(): void {
    this.#isStale = false;
    this.#byUser = new WeakMap();
    const { objects, serverSeats } = this.#options;
    this.#configureLevels(withMandatory<LevelObject>(objects.list(refs.priorityLevelConfigurations), builtInLevels));
    const limits = computeLimits(
      [...this.levels.values()].filter(({ isQuiescing }) => !isQuiescing).map(({ shares }) => shares),
      serverSeats,
    );
    for (const level of this.levels.values()) {
      level.limits = limits.get(level.name) ?? level.limits;
      level.setSeats(Math.max(1, level.limits.nominal));
      this.metrics.level(level.name, { ...level.limits, current: level.limits.nominal });
    }
    this.#schemas = withMandatory<FlowSchemaObject>(objects.list(refs.flowSchemas), builtInSchemas)
      .sort(byPrecedence)
      .flatMap((schema) => this.#schemaOf(schema) ?? []);
  }

  #configureLevels(objects: readonly LevelObject[]): void {
    const { clock, waitLimitMs } = this.#options;
    for (const level of this.levels.values()) level.isQuiescing = true;
    for (const { metadata, spec = { type: 'Limited' } } of objects) {
      const name = metadata.name ?? '';
      const level = this.levels.get(name) ?? new PriorityLevel(name, spec, { clock, waitLimitMs, turn: this.#turn });
      level.configure(spec, metadata.uid ?? '');
      this.levels.set(name, level);
    }
    for (const level of [...this.levels.values()])
      if (level.isQuiescing && level.isIdle) this.levels.delete(level.name);
  }

  /** A schema whose level does not exist matches nothing. */
  #schemaOf({ metadata, spec }: FlowSchemaObject): FlowSchema | undefined {
    const level = this.levels.get(spec?.priorityLevelConfiguration.name ?? '');
    if (!level || level.isQuiescing) return undefined;
    const name = metadata.name ?? '';
    return {
      name,
      level,
      rules: spec?.rules ?? [],
      distinguisher: spec?.distinguisherMethod?.type,
      labels: flowLabelsOf(level.name, name),
      headers: {
        'x-kubernetes-pf-flowschema-uid': metadata.uid ?? '',
        'x-kubernetes-pf-prioritylevel-uid': level.uid,
      },
    };
  }

  #borrow(): void {
    const now = monotonicNow(this.#options.clock);
    this.#borrowedAt = now;
    const levels = [...this.levels.values()];
    const inputs = levels.map((level) => {
      const demand = level.queues.demand.take(now);
      level.smoothDemand = smoothDemand(level.smoothDemand, demand);
      const { name, isExempt, limits } = level;
      return { name, isExempt, ...limits, high: demand.high, smooth: level.smoothDemand };
    });
    const { current, fairFraction } = computeBorrowing(inputs, this.#options.serverSeats);
    this.metrics.fairFraction(fairFraction);
    inputs.forEach((input, i) => {
      const level = levels[i] as PriorityLevel;
      const seats = current.get(input.name) ?? level.limits.nominal;
      level.setSeats(seats);
      this.metrics.level(input.name, { current: seats });
      this.metrics.demand(input.name, input, Math.max(input.lower, input.smooth));
      this.metrics.queues(input.name, level.queues);
    });
  }
}

function byPrecedence(a: FlowSchemaObject, b: FlowSchemaObject): number {
  const [first, second] = [a.spec?.matchingPrecedence ?? 1000, b.spec?.matchingPrecedence ?? 1000];
  return first - second || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

/** Adds built-in mandatory objects that have not been created. */
function withMandatory<T extends { readonly metadata: { readonly name?: string } }>(
  found: readonly T[],
  builtIn: readonly { readonly object: object }[],
): T[] {
  const names = new Set(found.map(({ metadata }) => metadata.name));
  const missing = (builtIn as readonly { readonly object: T }[])
    .map(({ object }) => object)
    .filter(({ metadata: { name = '' } }) => mandatory.has(name) && !names.has(name));
  return [...found, ...missing];
}

const mandatory: ReadonlySet<string> = new Set(['exempt', 'catch-all']);
