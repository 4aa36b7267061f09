import { parseDuration, parseQuantity } from '@coracle/apimachinery';
import { type Millis, ownValue } from '@coracle/base';
import type { HostUsage, Room } from '../host-usage.js';
import type { PressureCondition } from '../node-conditions.js';
import type { KubeletSettings } from '../settings.js';

interface SignalKind {
  /** A measured signal. */
  readonly of: (usage: HostUsage) => Room | undefined;
  readonly condition: PressureCondition;
  /** The resource in the eviction message. */
  readonly resource: 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';
}

/** Resources by the names of their signals. */
export const signals = {
  'memory.available': { of: ({ memory }) => memory, condition: 'MemoryPressure', resource: 'memory' },
  'allocatableMemory.available': {
    of: ({ podsMemory }) => podsMemory,
    condition: 'MemoryPressure',
    resource: 'memory',
  },
  'nodefs.available': {
    of: ({ nodeFilesystem }) => nodeFilesystem?.bytes,
    condition: 'DiskPressure',
    resource: 'ephemeral-storage',
  },
  'nodefs.inodesFree': {
    of: ({ nodeFilesystem }) => nodeFilesystem?.inodes,
    condition: 'DiskPressure',
    resource: 'inodes',
  },
  'imagefs.available': {
    of: (usage) => (usage.imageFilesystem ?? usage.nodeFilesystem)?.bytes,
    condition: 'DiskPressure',
    resource: 'ephemeral-storage',
  },
  'imagefs.inodesFree': {
    of: (usage) => (usage.imageFilesystem ?? usage.nodeFilesystem)?.inodes,
    condition: 'DiskPressure',
    resource: 'inodes',
  },
  'pid.available': { of: ({ processes }) => processes, condition: 'PIDPressure', resource: 'pids' },
} as const satisfies Record<string, SignalKind>;

export type Signal = keyof typeof signals;

/** An amount, or a fraction of the capacity. */
export type Amount = { readonly quantity: number } | { readonly part: number };

export interface Threshold {
  readonly signal: Signal;
  /** Crossed when less than this is available. */
  readonly value: Amount;
  /** Grace period; 0 for hard thresholds. */
  readonly graceMs: Millis;
  /** Minimum to reclaim beyond the value before the threshold is no longer met. */
  readonly minReclaim: Amount | undefined;
}

export function amountIn(amount: Amount, capacity: number): number {
  return 'quantity' in amount ? amount.quantity : Math.floor(capacity * amount.part);
}

export function isHard({ graceMs }: Threshold): boolean {
  return graceMs === 0;
}

/** Parses the thresholds of the settings. Throws an error with the problem. */
export function thresholdsOf(settings: KubeletSettings): readonly Threshold[] {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim } = settings;
  const make = (signal: Signal, value: string, graceMs: Millis): Threshold => ({
    signal,
    value: amountOf(value),
    graceMs,
    minReclaim: reclaimOf(ownValue(evictionMinimumReclaim, signal)),
  });
  const hard = statementsOf(evictionHard).map(([signal, value]) => make(signal, value, 0));
  const soft = statementsOf(evictionSoft).map(([signal, value]) => {
    const grace = ownValue(evictionSoftGracePeriod, signal);
    const graceMs = grace === undefined ? undefined : parseDuration(grace);
    if (graceMs === undefined)
      throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
    return make(signal, value, graceMs);
  });
  // The allocatable memory of pods uses the threshold of the node's memory.
  const memory = hard.find(({ signal }) => signal === 'memory.available');
  const ofPods: Threshold[] = memory ? [{ ...memory, signal: 'allocatableMemory.available' }] : [];
  return [...ofPods, ...hard, ...soft];
}

/** The filesystem of containers is that of the node or of images, whose thresholds hold for it: others are ignored. */
const ignored: ReadonlySet<string> = new Set(['containerfs.available', 'containerfs.inodesFree']);

/** Active thresholds: 0 % and 100 % disable a signal. */
function statementsOf(settings: Readonly<Record<string, string>>): [Signal, string][] {
  return Object.entries(settings)
    .filter(([name]) => !ignored.has(name))
    .map(([name, value]): [Signal, string] => [signalNamed(name), value])
    .filter(([, value]) => value !== '0%' && value !== '100%');
}

function signalNamed(name: string): Signal {
  if (!Object.hasOwn(signals, name)) throw new Error(`unsupported eviction signal ${name}`);
  return name as Signal;
}

function amountOf(text: string): Amount {
  if (!text.endsWith('%')) return { quantity: parseQuantity(text).value() };
  // Go stores percentages in single precision, which is visible in the status of nodes.
  const part = Math.fround(Number(text.slice(0, -1)) / 100);
  if (!(part >= 0 && part <= 1)) throw new Error(`eviction percentage threshold must be between 0% and 100%: ${text}`);
  return { part };
}

function reclaimOf(text: string | undefined): Amount | undefined {
  return text === undefined ? undefined : amountOf(text);
}
