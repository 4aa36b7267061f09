import type { KindRulesTable } from '../../kind-rules.js';
import { setPodGroupDefaults } from './pod-group.defaults.js';
import { validatePodGroup, validatePodGroupStatusUpdate, validatePodGroupUpdate } from './pod-group.validation.js';
import { validateWorkload, validateWorkloadUpdate } from './workload.validation.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  PodGroup: {
    setDefaults: setPodGroupDefaults,
    validate: validatePodGroup,
    validateUpdate: validatePodGroupUpdate,
    validateStatusUpdate: validatePodGroupStatusUpdate,
  },
  Workload: { validate: validateWorkload, validateUpdate: validateWorkloadUpdate },
};
