import { FieldPath, validateDnsLabelName } from '@coracle/apimachinery';
import { podTemplateWarnings } from '../../core/v1/pod.warnings.js';
import type { PodTemplateSpec } from '../../generated/types/core-v1.js';
import type { KindRulesTable } from '../../kind-rules.js';
import { validateControllerRevision, validateControllerRevisionUpdate } from './controller-revision.validation.js';
import { setDaemonSetDefaults } from './daemon-set.defaults.js';
import { validateDaemonSet, validateDaemonSetStatusUpdate, validateDaemonSetUpdate } from './daemon-set.validation.js';
import { setDeploymentDefaults } from './deployment.defaults.js';
import {
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from './deployment.validation.js';
import { setReplicaSetDefaults } from './replica-set.defaults.js';
import {
  validateReplicaSet,
  validateReplicaSetStatusUpdate,
  validateReplicaSetUpdate,
} from './replica-set.validation.js';
import { setStatefulSetDefaults } from './stateful-set.defaults.js';
import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from './stateful-set.validation.js';

interface HasTemplate {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

const templatePath = FieldPath.of('spec', 'template');

function templateWarnings(object: HasTemplate, previous?: HasTemplate): string[] {
  return podTemplateWarnings(templatePath, object.spec?.template, previous?.spec?.template);
}

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  ControllerRevision: { validate: validateControllerRevision, validateUpdate: validateControllerRevisionUpdate },
  DaemonSet: {
    setDefaults: setDaemonSetDefaults,
    validate: validateDaemonSet,
    validateUpdate: validateDaemonSetUpdate,
    validateStatusUpdate: validateDaemonSetStatusUpdate,
    warnings: templateWarnings,
  },
  Deployment: {
    setDefaults: setDeploymentDefaults,
    validate: validateDeployment,
    validateUpdate: validateDeploymentUpdate,
    validateStatusUpdate: validateDeploymentStatusUpdate,
    warnings: templateWarnings,
  },
  ReplicaSet: {
    setDefaults: setReplicaSetDefaults,
    validate: validateReplicaSet,
    validateUpdate: validateReplicaSetUpdate,
    validateStatusUpdate: validateReplicaSetStatusUpdate,
    warnings: templateWarnings,
  },
  StatefulSet: {
    setDefaults: setStatefulSetDefaults,
    validateName: validateDnsLabelName,
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    validateStatusUpdate: validateStatefulSetStatusUpdate,
    warnings: templateWarnings,
  },
};
