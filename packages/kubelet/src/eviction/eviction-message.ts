import { type Container, containerResources, type Pod } from '@coracle/api';
import { Quantity } from '@coracle/apimachinery';
import type { HostUsage } from '../host-usage.js';
import type { PodUsage } from './pod-usage.js';
import { amountIn, type Signal, signals, type Threshold } from './thresholds.js';

export interface EvictionMessage {
  readonly message: string;
  /** Annotations of the event. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The message of an eviction: the resource under pressure, and the containers that exceed their requests of it. */
export function evictionMessage(
  { pod, usage }: { readonly pod: Pod; readonly usage: PodUsage | undefined },
  threshold: Threshold,
  host: HostUsage,
): EvictionMessage {
  const { resource, of } = signals[threshold.signal];
  const room = of(host);
  const least = room && `Threshold quantity: ${amount(resource, amountIn(threshold.value, room.capacity))}, `;
  const there = room ? `${least}available: ${amount(resource, room.available)}. ` : '';
  const offenders = usage ? offendersOf(pod, usage, resource) : [];
  const lines = offenders.map(
    ({ name, used, requested }) =>
      `Container ${name} was using ${used}, request is ${requested}, has larger consumption of ${resource}. `,
  );
  return {
    message: `The node was low on resource: ${resource}. ${there}${lines.join('')}`,
    annotations: {
      starved_resource: resource,
      ...(offenders.length > 0 && {
        offending_containers: offenders.map(({ name }) => name).join(','),
        offending_containers_usage: offenders.map(({ used }) => used).join(','),
      }),
    },
  };
}

type Resource = (typeof signals)[Signal]['resource'];

function amount(resource: Resource, value: number): string {
  const isBytes = resource === 'memory' || resource === 'ephemeral-storage';
  return String(Quantity.of(Math.floor(value), isBytes ? 'BinarySI' : 'DecimalSI'));
}

interface Offender {
  readonly name: string;
  readonly used: string;
  readonly requested: string;
}

function offendersOf(pod: Pod, { containers }: PodUsage, resource: Resource): Offender[] {
  const usedBy = ({ name }: Container) => {
    const one = containers.get(name);
    return (resource === 'memory' ? one?.memoryBytes : resource === 'ephemeral-storage' ? one?.disk.bytes : 0) ?? 0;
  };
  return (pod.spec?.containers ?? []).flatMap((container) => {
    const used = usedBy(container);
    const requested = containerResources(container, 'requests').get(resource) ?? Quantity.of(0);
    if (used === 0 || used <= requested.value()) return [];
    return [{ name: container.name, used: amount(resource, used), requested: String(requested) }];
  });
}
