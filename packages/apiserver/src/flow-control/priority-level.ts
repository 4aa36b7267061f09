import type { flowcontrolv1 } from '@coracle/api';
import type { LevelLimits, LevelShares } from './compute-limits.js';
import { FairQueues, type FairQueuesOptions, type QueuingSettings } from './fair-queues.js';

type Spec = flowcontrolv1.PriorityLevelConfigurationSpec;

/** Maximum fraction of the seats of its level that one request takes. */
const mostOfLevel = 0.15;

/** An active priority level: its configuration, and the requests in it. */
export class PriorityLevel {
  readonly name: string;
  readonly queues: FairQueues;
  uid = '';
  shares: LevelShares;
  limits: LevelLimits = { nominal: 0, lower: 0, upper: 0 };
  /** Set when its object is deleted; its requests still run to completion. */
  isQuiescing = false;
  /** The demand for seats that borrowing uses. */
  smoothDemand = 0;

  constructor(name: string, spec: Spec, options: FairQueuesOptions) {
    this.name = name;
    this.shares = sharesOf(name, spec);
    this.queues = new FairQueues({ seats: 1, queuing: queuingOf(spec) }, options);
  }

  get isExempt(): boolean {
    return this.shares.isExempt;
  }

  get isIdle(): boolean {
    return this.queues.waiting === 0 && this.queues.executing === 0;
  }

  /** Maximum number of seats of one request. */
  get maxSeats(): number {
    return Math.max(1, Math.ceil(this.limits.nominal * mostOfLevel));
  }

  configure(spec: Spec, uid: string): void {
    this.uid = uid;
    this.isQuiescing = false;
    this.shares = sharesOf(this.name, spec);
    this.queues.configure({ ...this.queues.settings, queuing: queuingOf(spec) });
  }

  setSeats(seats: number): void {
    this.queues.configure({ ...this.queues.settings, seats: this.isExempt ? Number.POSITIVE_INFINITY : seats });
  }
}

function sharesOf(name: string, { type, limited, exempt }: Spec): LevelShares {
  const isExempt = type === 'Exempt';
  const shares = isExempt ? exempt : limited;
  return {
    name,
    isExempt,
    nominalConcurrencyShares: shares?.nominalConcurrencyShares ?? (isExempt ? 0 : 30),
    lendablePercent: shares?.lendablePercent ?? 0,
    borrowingLimitPercent: isExempt ? undefined : limited?.borrowingLimitPercent,
  };
}

function queuingOf({ limited }: Spec): QueuingSettings | undefined {
  const { type, queuing } = limited?.limitResponse ?? {};
  if (type !== 'Queue') return undefined;
  return {
    queues: queuing?.queues ?? 64,
    handSize: queuing?.handSize ?? 8,
    queueLengthLimit: queuing?.queueLengthLimit ?? 50,
  };
}
