import { type corev1, refs } from '@coracle/api';
import { formatMicroTime, type KubeObject } from '@coracle/apimachinery';
import type { Clock, Logger } from '@coracle/base';
import type { ObjectWriter } from '../../../object-reader.js';

/** The problem of an object, with upstream's message. */
export interface Fault {
  readonly about: { readonly kind: string; readonly apiVersion: string; readonly object: KubeObject };
  readonly reason: string;
  readonly action: 'ClusterIPAllocation' | 'IPAddressAllocation' | 'PortAllocation';
  readonly note: string;
}

const controllers: Readonly<Record<Fault['action'], string>> = {
  ClusterIPAllocation: 'ipallocator-repair-controller',
  IPAddressAllocation: 'ipallocator-repair-controller',
  PortAllocation: 'portallocator-repair-controller',
};

export interface RepairEventsDependencies {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Records an event once for each problem while it lasts. */
export class RepairEvents {
  readonly #deps: RepairEventsDependencies;
  #before = new Set<string>();
  #now = new Set<string>();
  #count = 0;

  constructor(deps: RepairEventsDependencies) {
    this.#deps = deps;
  }

  /** A problem that is absent for one round is reported again when it returns. */
  nextRound(): void {
    this.#before = this.#now;
    this.#now = new Set();
  }

  /** Repair continues if an event cannot be written. */
  async warn(fault: Fault): Promise<void> {
    const key = `${fault.about.object.metadata.uid} ${fault.reason} ${fault.note}`;
    this.#now.add(key);
    if (this.#before.has(key)) return;
    const { writer, logger } = this.#deps;
    logger.info(fault.note, { reason: fault.reason, name: fault.about.object.metadata.name });
    await writer.create(refs.events, this.#event(fault)).catch((error: unknown) => {
      logger.error('an event about a service could not be written', { error });
    });
  }

  #event({ about, reason, action, note }: Fault): corev1.Event {
    const { name = '', namespace = 'default', uid = '' } = about.object.metadata;
    const now = this.#deps.clock.now();
    const nanos = BigInt(Math.round(now)) * 1_000_000n + BigInt(this.#count++);
    return {
      metadata: { name: `${name}.${nanos.toString(16)}`, namespace },
      involvedObject: {
        kind: about.kind,
        apiVersion: about.apiVersion,
        namespace: about.object.metadata.namespace,
        name,
        uid,
      },
      type: 'Warning',
      reason,
      action,
      message: note,
      eventTime: formatMicroTime(now),
      reportingComponent: controllers[action],
      reportingInstance: controllers[action],
    } as corev1.Event;
  }
}
