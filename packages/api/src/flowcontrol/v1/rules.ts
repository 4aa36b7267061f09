import type { KindRulesTable } from '../../kind-rules.js';
import { setFlowSchemaDefaults } from './flow-schema.defaults.js';
import { validateFlowSchema } from './flow-schema.validation.js';
import { setPriorityLevelConfigurationDefaults } from './priority-level-configuration.defaults.js';
import { validatePriorityLevelConfiguration } from './priority-level-configuration.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  FlowSchema: { setDefaults: setFlowSchemaDefaults, validate: validateFlowSchema },
  PriorityLevelConfiguration: {
    setDefaults: setPriorityLevelConfigurationDefaults,
    validate: validatePriorityLevelConfiguration,
  },
};
