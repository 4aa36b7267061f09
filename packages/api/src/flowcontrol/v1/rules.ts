import type { KindRules } from '../../kind-rules.js';
import { setFlowSchemaDefaults } from './flow-schema.defaults.js';
import { validateFlowSchema } from './flow-schema.validation.js';
import { setPriorityLevelConfigurationDefaults } from './priority-level-configuration.defaults.js';
import { validatePriorityLevelConfiguration } from './priority-level-configuration.validation.js';

/** Kind → its defaults and validation. */
// biome-ignore lint/suspicious/noExplicitAny: a table of rules for different types
export const rules: Readonly<Record<string, KindRules<any>>> = {
  FlowSchema: { setDefaults: setFlowSchemaDefaults, validate: validateFlowSchema },
  PriorityLevelConfiguration: {
    setDefaults: setPriorityLevelConfigurationDefaults,
    validate: validatePriorityLevelConfiguration,
  },
};
