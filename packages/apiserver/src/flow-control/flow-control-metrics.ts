import type { Counter, Gauge, Histogram, MetricLabels, Metrics } from '@coracle/base';
import type { FairQueues, Rejection } from './fair-queues.js';

const flowLabels = ['priority_level', 'flow_schema'];
const waitBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const executionBuckets = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

/** Labels of one flow schema at one level, created once. */
export interface FlowLabels {
  readonly flow: MetricLabels;
  readonly executed: MetricLabels;
  readonly regular: MetricLabels;
  readonly watch: MetricLabels;
  rejected(reason: Rejection): MetricLabels;
}

export function flowLabelsOf(priority_level: string, flow_schema: string): FlowLabels {
  const flow = { priority_level, flow_schema };
  return {
    flow,
    executed: { ...flow, execute: 'true' },
    regular: { ...flow, type: 'regular' },
    watch: { ...flow, type: 'watch' },
    rejected: (reason) => ({ ...flow, reason }),
  };
}

/** The metrics of upstream's flow control, under its names. */
export class FlowControlMetrics {
  readonly dispatched: Counter;
  readonly rejected: Counter;
  readonly inQueue: Gauge;
  readonly executing: Gauge;
  readonly executingSeats: Gauge;
  readonly waitSeconds: Histogram;
  readonly executionSeconds: Histogram;
  readonly estimatedSeats: Histogram;
  readonly #levels: Readonly<Record<'nominal' | 'lower' | 'upper' | 'current' | 'target' | 'smooth' | 'high', Gauge>>;
  readonly #fairFraction: Gauge;
  readonly #virtualTime: Gauge;
  readonly #utilization: Gauge;
  /** By the name of a level. The same label object is reused because its text is cached. */
  readonly #labels = new Map<string, MetricLabels>();

  constructor(metrics: Metrics) {
    const name = (rest: string) => `apiserver_flowcontrol_${rest}`;
    const gauge = (rest: string, help: string, labels = ['priority_level']) =>
      metrics.gauge({ name: name(rest), help, labels });
    const counter = (rest: string, help: string, labels = flowLabels) =>
      metrics.counter({ name: name(rest), help, labels });
    const histogram = (rest: string, help: string, shape: { labels: string[]; buckets: number[] }) =>
      metrics.histogram({ name: name(rest), help, ...shape });
    this.dispatched = counter('dispatched_requests_total', 'Requests that began to run.');
    this.rejected = counter('rejected_requests_total', 'Requests that were rejected.', [...flowLabels, 'reason']);
    this.inQueue = gauge('current_inqueue_requests', 'Requests that wait in queues now.', flowLabels);
    this.executing = gauge('current_executing_requests', 'Requests that run now.', flowLabels);
    this.executingSeats = gauge('current_executing_seats', 'Seats taken by requests that run now.', flowLabels);
    this.waitSeconds = histogram('request_wait_duration_seconds', 'Time that requests waited in queues.', {
      labels: [...flowLabels, 'execute'],
      buckets: waitBuckets,
    });
    this.executionSeconds = histogram('request_execution_seconds', 'Time that requests ran.', {
      labels: [...flowLabels, 'type'],
      buckets: executionBuckets,
    });
    this.estimatedSeats = histogram('work_estimated_seats', 'Seats that requests were estimated to take.', {
      labels: flowLabels,
      buckets: [1, 2, 4, 10],
    });
    this.#levels = {
      nominal: gauge('nominal_limit_seats', 'Seats by the shares of the level.'),
      lower: gauge('lower_limit_seats', 'Seats that the level keeps whatever others want.'),
      upper: gauge('upper_limit_seats', 'Seats that the level has at most when it borrows.'),
      current: gauge('current_limit_seats', 'Seats that the level has now.'),
      target: gauge('target_seats', 'Seats that the level wanted when borrowing was last decided.'),
      smooth: gauge('demand_seats_smoothed', 'Smoothed demand for seats.'),
      high: gauge('demand_seats_high_watermark', 'Highest demand for seats in the last period.'),
    };
    this.#fairFraction = gauge('seat_fair_frac', 'Fraction of their demand that levels with demand get.', []);
    this.#virtualTime = gauge('current_r', 'Virtual time of the queues of the level.');
    this.#utilization = gauge('priority_level_seat_utilization', 'Fraction of the seats that is taken.');
  }

  level(name: string, values: Partial<Record<'nominal' | 'lower' | 'upper' | 'current', number>>): void {
    const labels = this.#labelsOf(name);
    for (const [which, value] of Object.entries(values)) this.#levels[which as keyof typeof values].set(value, labels);
  }

  demand(name: string, { high, smooth }: { readonly high: number; readonly smooth: number }, target: number): void {
    const labels = this.#labelsOf(name);
    this.#levels.high.set(high, labels);
    this.#levels.smooth.set(smooth, labels);
    this.#levels.target.set(target, labels);
  }

  queues(name: string, queues: FairQueues): void {
    const labels = this.#labelsOf(name);
    this.#virtualTime.set(queues.currentR / 1000, labels);
    this.#utilization.set(queues.settings.seats > 0 ? queues.seatsInUse / queues.settings.seats : 0, labels);
  }

  fairFraction(value: number): void {
    this.#fairFraction.set(value);
  }

  #labelsOf(name: string): MetricLabels {
    let labels = this.#labels.get(name);
    if (!labels) {
      labels = { priority_level: name };
      this.#labels.set(name, labels);
    }
    return labels;
  }
}
