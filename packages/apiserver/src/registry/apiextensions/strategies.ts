import type { Strategy } from '../strategy.js';
import { customResourceDefinitionStrategy } from './custom-resource-definition.strategy.js';

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = {
  customresourcedefinitions: customResourceDefinitionStrategy,
};
