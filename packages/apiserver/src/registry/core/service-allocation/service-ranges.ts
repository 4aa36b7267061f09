import { type networkingv1, refs } from '@coracle/api';
import { formatTime, isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { ObjectReader, ObjectWriter } from '../../../object-reader.js';
import { type AddressRange, addressRange, type PortRange, portRange } from './range.js';

export interface ServiceRangeOptions {
  /** Networks, one for each family: the value of `--service-cluster-ip-range`. */
  readonly clusterIpRanges?: readonly string[];
  /** The value of `--service-node-port-range`. */
  readonly nodePortRange?: string;
  /** The node port of the `kubernetes` service, if any. */
  readonly kubernetesNodePort?: number;
}

/** The default range for addresses. */
export const usualServiceRanges: readonly string[] = ['10.96.0.0/16'];

export interface ServiceRanges {
  readonly addresses: readonly AddressRange[];
  readonly ports: PortRange;
}

/** The default range as an object. */
const defaultName = 'kubernetes';

/** Reads the options. An invalid one is a configuration error, which stops the server. */
export function serviceRanges({
  clusterIpRanges = usualServiceRanges,
  nodePortRange = '30000-32767',
}: ServiceRangeOptions): ServiceRanges {
  const addresses = clusterIpRanges.map((text) => addressRange(text) ?? refuse('service-cluster-ip-range', text));
  const ports = portRange(nodePortRange) ?? refuse('service-node-port-range', nodePortRange);
  return { addresses, ports };
}

/** The cluster IP of the `kubernetes` service, at which pods reach the API server. */
export function firstServiceAddress(options: ServiceRangeOptions = {}): string {
  return serviceRanges(options).addresses[0]?.at(0) ?? '';
}

function refuse(flag: string, text: string): never {
  throw new Error(`--${flag}: ${JSON.stringify(text)} is not a range`);
}

/** The configured ranges, and those of `ServiceCIDR` objects that are ready and not being deleted. */
export function currentRanges(configured: readonly AddressRange[], objects: ObjectReader): () => AddressRange[] {
  let cached: { readonly generation: number; readonly ranges: AddressRange[] } | undefined;
  return () => {
    const generation = objects.generation(refs.serviceCIDRs);
    if (cached?.generation !== generation) {
      const texts = objects
        .list(refs.serviceCIDRs)
        .filter(isReady)
        .flatMap(({ spec }) => spec?.cidrs ?? []);
      const more = texts.flatMap((text) => addressRange(text) ?? []);
      const own = new Set(configured.map(({ text }) => text));
      cached = { generation, ranges: [...configured, ...more.filter(({ text }) => !own.has(text))] };
    }
    return cached.ranges;
  };
}

/** A range without conditions is ready. */
function isReady({ metadata, status }: networkingv1.ServiceCIDR): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === 'True');
}

export interface DefaultRangeDependencies {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly clock: Clock;
}

/** Creates the object of the configured ranges, and sets its condition Ready. */
export async function ensureDefaultRange(
  { objects, writer, clock }: DefaultRangeDependencies,
  ranges: readonly AddressRange[],
): Promise<void> {
  const cidrs = ranges.map(({ text }) => text);
  if (!objects.get(refs.serviceCIDRs, '', defaultName)) {
    await writer
      .create(refs.serviceCIDRs, { metadata: { name: defaultName }, spec: { cidrs } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  }
  const current = await objects.getFresh(refs.serviceCIDRs, '', defaultName);
  if (!current || current.status?.conditions?.some(({ type }) => type === 'Ready')) return;
  await writer
    .updateStatus(refs.serviceCIDRs, '', defaultName, (found) => ({ ...found, status: { conditions: [ready(clock)] } }))
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

function ready(clock: Clock): NonNullable<NonNullable<networkingv1.ServiceCIDR['status']>['conditions']>[number] {
  return {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(clock.now()),
  };
}
