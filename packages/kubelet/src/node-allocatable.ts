import { parseQuantity, Quantity } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { amountIn, thresholdsOf } from './eviction/thresholds.js';
import type { KubeletSettings } from './settings.js';

type Amounts = Readonly<Record<string, string>>;

/** Resources that may be reserved. Processes are not a resource that pods request: nothing is subtracted for them. */
const reservable: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid']);

/** The hard thresholds by resource, which pods must not cross even if they use all of allocatable. */
const keptFree: Readonly<Record<string, string>> = {
  memory: 'memory.available',
  'ephemeral-storage': 'nodefs.available',
};

const hugePages = 'hugepages-';

/**
 * Allocatable resources of a node: its capacity, minus the reservations for the system and the kubelet, minus the hard
 * eviction thresholds. Memory in huge pages is not available as other memory. Throws an error that names the
 * reservation that exceeds the capacity.
 */
export function nodeAllocatable(capacity: Amounts, settings: KubeletSettings): Record<string, string> {
  const { systemReserved, kubeReserved } = settings;
  for (const reserved of [systemReserved, kubeReserved]) requireReservable(reserved);
  const left = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(capacity)) {
    const total = parseQuantity(text);
    const amounts = [
      quantityIn(systemReserved, name),
      quantityIn(kubeReserved, name),
      keptFreeOf(name, total, settings),
    ];
    left.set(name, amounts.reduce(lessAtLeastNothing, total));
  }
  const memory = left.get('memory');
  if (memory) {
    const inPages = Object.entries(capacity).filter(([name]) => name.startsWith(hugePages));
    left.set('memory', inPages.map(([, text]) => parseQuantity(text)).reduce(lessAtLeastNothing, memory));
  }
  return Object.fromEntries([...left].map(([name, quantity]) => [name, quantity.toString()]));
}

function requireReservable(reserved: Amounts): void {
  for (const [name, text] of Object.entries(reserved)) {
    if (!reservable.has(name)) throw new Error(`cannot reserve ${JSON.stringify(name)} resource`);
    if (parseQuantity(text).sign < 0)
      throw new Error(`resource quantity for ${JSON.stringify(name)} cannot be negative: ${text}`);
  }
}

function quantityIn(reserved: Amounts, name: string): Quantity {
  return parseQuantity(ownValue(reserved, name) ?? '0');
}

function keptFreeOf(name: string, total: Quantity, settings: KubeletSettings): Quantity {
  const signal = ownValue(keptFree, name);
  const threshold = thresholdsOf({ ...settings, evictionSoft: {} }).find((one) => one.signal === signal);
  return threshold ? Quantity.of(amountIn(threshold.value, total.value()), 'BinarySI') : Quantity.zero;
}

function lessAtLeastNothing(total: Quantity, amount: Quantity): Quantity {
  const rest = total.sub(amount);
  return rest.sign < 0 ? Quantity.of(0, total.format) : rest;
}
