import { type KubeObject, parseQuantity } from '@coracle/apimachinery';

export interface Meter {
  readonly name: 'cpu' | 'memory';
  /** Of what pods may have; 0 to 1. */
  readonly share: number;
  readonly text: string;
}

export interface NodeUse {
  readonly ready: boolean;
  readonly cordoned: boolean;
  readonly meters: readonly Meter[];
}

/** By node: `{ cpu: '250m', memory: '1Gi' }`. */
export type NodeMetrics = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The state of a node, and its utilization if the cluster measures it. */
export function nodeUseOf(node: KubeObject, metrics: NodeMetrics): NodeUse {
  const { spec, status } = node as {
    spec?: { unschedulable?: boolean };
    status?: { conditions?: { type: string; status: string }[]; allocatable?: Record<string, string> };
  };
  const used = metrics.get(node.metadata.name ?? '');
  return {
    ready: status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    cordoned: spec?.unschedulable ?? false,
    meters: (['cpu', 'memory'] as const).flatMap((name) => meterOf(name, used?.[name], status?.allocatable?.[name])),
  };
}

function meterOf(name: Meter['name'], used: string | undefined, of: string | undefined): Meter[] {
  const [a, b] = [numberOf(used), numberOf(of)];
  if (a === undefined || !b) return [];
  const text = name === 'cpu' ? `${cpuText(a)} / ${cpuText(b)}` : `${bytesText(a)} / ${bytesText(b)}`;
  return [{ name, share: a / b, text }];
}

/** The number of a quantity; none if it is invalid. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseQuantity(text).toNumber();
  } catch {
    return undefined;
  }
}

/** `0.25`: CPUs, in the digits that matter. */
export function cpuText(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);
}

/** `1.5 GiB`. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}
