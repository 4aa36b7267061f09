import { amountsOf, type LimitRangeItem, type ResourceAmounts } from '@coracle/api';
import { parseQuantity, type Quantity } from '@coracle/apimachinery';

export interface Amounts {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/** The constraints of a limit range's item that the amounts violate, with upstream's messages. */
export function breaches(item: LimitRangeItem, amounts: Amounts): string[] {
  return [...belowMinimum(item, amounts), ...aboveMaximum(item, amounts), ...aboveRatio(item, amounts)];
}

/** Those that the requests of a claim violate: it has no limits. */
export function breachesOfRequests(item: LimitRangeItem, requests: ResourceAmounts): string[] {
  return [...belowMinimum(item, { requests, limits: new Map() }), ...requestAboveMaximum(item, requests)];
}

function* belowMinimum({ min, type }: LimitRangeItem, { requests, limits }: Amounts): Iterable<string> {
  for (const [name, enforced] of amountsOf(min)) {
    const request = requests.get(name);
    const limit = limits.get(name);
    const rule = `minimum ${name} usage per ${type} is ${enforced}`;
    if (!request) yield `${rule}.  No request is specified`;
    else if (request.compare(enforced) < 0) yield `${rule}, but request is ${request}`;
    else if (limit && limit.compare(enforced) < 0) yield `${rule}, but limit is ${limit}`;
  }
}

function* aboveMaximum({ max, type }: LimitRangeItem, { requests, limits }: Amounts): Iterable<string> {
  for (const [name, enforced] of amountsOf(max)) {
    const request = requests.get(name);
    const limit = limits.get(name);
    const rule = `maximum ${name} usage per ${type} is ${enforced}`;
    if (!limit) yield `${rule}.  No limit is specified`;
    else if (limit.compare(enforced) > 0) yield `${rule}, but limit is ${limit}`;
    else if (request && request.compare(enforced) > 0) yield `${rule}, but request is ${request}`;
  }
}

function* requestAboveMaximum({ max, type }: LimitRangeItem, requests: ResourceAmounts): Iterable<string> {
  for (const [name, enforced] of amountsOf(max)) {
    const request = requests.get(name);
    const rule = `maximum ${name} usage per ${type} is ${enforced}`;
    if (!request) yield `${rule}.  No request is specified`;
    else if (request.compare(enforced) > 0) yield `${rule}, but request is ${request}`;
  }
}

function* aboveRatio({ maxLimitRequestRatio, type }: LimitRangeItem, { requests, limits }: Amounts): Iterable<string> {
  for (const [name, text] of Object.entries(maxLimitRequestRatio ?? {})) {
    const enforced = parseQuantity(text);
    const request = requests.get(name);
    const limit = limits.get(name);
    const rule = `${name} max limit to request ratio per ${type} is ${enforced}`;
    if (!request || request.isZero) yield `${rule}, but no request is specified or request is 0`;
    else if (!limit || limit.isZero) yield `${rule}, but no limit is specified or limit is 0`;
    else if (ratio(limit, request) > enforced.toNumber())
      yield `${rule}, but provided ratio is ${ratio(limit, request).toFixed(6)}`;
  }
}

function ratio(limit: Quantity, request: Quantity): number {
  return limit.toNumber() / request.toNumber();
}
