import type { Strategy } from '../strategy.js';
import { endpointSliceStrategy } from './endpoint-slice.strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  endpointslices: endpointSliceStrategy,
};
