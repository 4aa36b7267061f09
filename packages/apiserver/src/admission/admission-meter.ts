import type { Clock, Histogram, MetricLabels, Metrics } from '@coracle/base';
import type { AdmissionOperation, AdmissionPlugin } from './admission.js';

const buckets: readonly number[] = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

interface Outcomes {
  readonly passed: MetricLabels;
  readonly refused: MetricLabels;
}

/** ADM-17: metrics of admission: the duration of each plugin, and of all together. */
export class AdmissionMeter {
  readonly #clock: Clock;
  readonly #byPlugin: Histogram;
  readonly #byStep: Histogram;

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Metrics }) {
    this.#clock = clock;
    this.#byPlugin = metrics.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'Duration of an admission plugin in seconds, by name and operation.',
      labels: ['name', 'operation', 'rejected', 'type'],
      buckets,
    });
    this.#byStep = metrics.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'Duration of an admission step in seconds, by operation.',
      labels: ['operation', 'rejected', 'type'],
      buckets,
    });
  }

  /** Measures one step of a chain of these plugins. */
  step(type: 'admit' | 'validate', plugins: readonly AdmissionPlugin[]): StepMeter {
    const tables = new Map<string, Map<string, Outcomes>>();
    for (const operation of operations) {
      const names = new Map([['', outcomes({ operation, type })]]);
      for (const { name } of plugins) names.set(name, outcomes({ name, operation, type }));
      tables.set(operation, names);
    }
    const to = { clock: this.#clock, byPlugin: this.#byPlugin, byStep: this.#byStep };
    return { begin: (operation) => new MeasuredStep(tables.get(operation) as Map<string, Outcomes>, to) };
  }
}

export interface StepMeter {
  begin(operation: AdmissionOperation): MeasuredStep;
}

function outcomes(labels: MetricLabels): Outcomes {
  return { passed: { ...labels, rejected: 'false' }, refused: { ...labels, rejected: 'true' } };
}

/** One write while it passes through the plugins. */
export class MeasuredStep {
  /** By the name of the plugin; the empty name stands for the whole step. */
  readonly #outcomes: ReadonlyMap<string, Outcomes>;
  readonly #to: { readonly clock: Clock; readonly byPlugin: Histogram; readonly byStep: Histogram };
  readonly #begunAt: number;
  #lastAt: number;

  constructor(
    table: ReadonlyMap<string, Outcomes>,
    to: { readonly clock: Clock; readonly byPlugin: Histogram; readonly byStep: Histogram },
  ) {
    this.#outcomes = table;
    this.#to = to;
    this.#begunAt = to.clock.now();
    this.#lastAt = this.#begunAt;
  }

  passed(name: string): void {
    this.#to.byPlugin.observe(this.#lap(), this.#of(name).passed);
  }

  /** Also ends the step. */
  refused(name: string): void {
    this.#to.byPlugin.observe(this.#lap(), this.#of(name).refused);
    this.#to.byStep.observe((this.#lastAt - this.#begunAt) / 1000, this.#of('').refused);
  }

  end(): void {
    this.#to.byStep.observe((this.#lastAt - this.#begunAt) / 1000, this.#of('').passed);
  }

  #of(name: string): Outcomes {
    return this.#outcomes.get(name) as Outcomes;
  }

  #lap(): number {
    const before = this.#lastAt;
    this.#lastAt = this.#to.clock.now();
    return (this.#lastAt - before) / 1000;
  }
}
