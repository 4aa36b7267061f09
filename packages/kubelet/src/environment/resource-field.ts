import type { Container, ResourceFieldSelector } from '@coracle/api';
import { parseQuantity } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';

type Amounts = Readonly<Record<string, string>>;

/**
 * The value of a `resourceFieldRef`, in units of its divisor and rounded up. Without a limit, the allocatable resources
 * of the node are used.
 */
export function resourceField(container: Container, selector: ResourceFieldSelector, allocatable: Amounts): string {
  const dot = selector.resource.indexOf('.');
  const kind = selector.resource.slice(0, dot);
  const name = selector.resource.slice(dot + 1);
  const { limits = {}, requests = {} } = container.resources ?? {};
  const text = kind === 'limits' ? (ownValue(limits, name) ?? ownValue(allocatable, name)) : ownValue(requests, name);
  const amount = parseQuantity(text ?? '0').nanos;
  const stated = parseQuantity(selector.divisor ?? '1');
  const unit = stated.isZero ? 1_000_000_000n : stated.nanos;
  return String((amount + unit - 1n) / unit);
}
