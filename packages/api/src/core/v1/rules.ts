import { FieldPath, validateDnsLabelName, validatePathSegmentName } from '@coracle/apimachinery';
import type { PodTemplate, ReplicationController } from '../../generated/types/core-v1.js';
import type { KindRulesTable } from '../../kind-rules.js';
import { validateBinding } from './binding.validation.js';
import { validateConfigMap, validateConfigMapUpdate } from './config-map.validation.js';
import { setEndpointsDefaults } from './endpoints.defaults.js';
import { validateEndpoints } from './endpoints.validation.js';
import { setLimitRangeDefaults } from './limit-range.defaults.js';
import { validateLimitRange } from './limit-range.validation.js';
import { setNamespaceDefaults } from './namespace.defaults.js';
import { validateNamespace, validateNamespaceStatusUpdate } from './namespace.validation.js';
import { setNodeDefaults } from './node.defaults.js';
import { validateNode, validateNodeUpdate } from './node.validation.js';
import { nodeWarnings } from './node.warnings.js';
import { setPersistentVolumeClaimDefaults, setPersistentVolumeDefaults } from './persistent-volume.defaults.js';
import { validatePersistentVolume, validatePersistentVolumeUpdate } from './persistent-volume.validation.js';
import { persistentVolumeClaimWarnings, persistentVolumeWarnings } from './persistent-volume.warnings.js';
import {
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatusUpdate,
  validatePersistentVolumeClaimUpdate,
} from './persistent-volume-claim.validation.js';
import { setPodDefaults, setPodDefaultsBesideSpec } from './pod.defaults.js';
import { readsSameMetadata, validatePod, validatePodContent } from './pod.validation.js';
import { podTemplateWarnings, podWarnings } from './pod.warnings.js';
import { setPodTemplateSpecDefaults } from './pod-spec.defaults.js';
import { validatePodStatusUpdate } from './pod-status.validation.js';
import { validatePodTemplate } from './pod-template.validation.js';
import { validatePodUpdate } from './pod-update.validation.js';
import { setReplicationControllerDefaults } from './replication-controller.defaults.js';
import {
  validateReplicationController,
  validateReplicationControllerStatusUpdate,
} from './replication-controller.validation.js';
import { setResourceQuotaDefaults } from './resource-quota.defaults.js';
import {
  validateResourceQuota,
  validateResourceQuotaStatusUpdate,
  validateResourceQuotaUpdate,
} from './resource-quota.validation.js';
import { setSecretDefaults } from './secret.defaults.js';
import { validateSecret, validateSecretUpdate } from './secret.validation.js';
import { secretWarnings } from './secret.warnings.js';
import { setServiceDefaults } from './service.defaults.js';
import { validateService, validateServiceStatusUpdate, validateServiceUpdate } from './service.validation.js';
import { serviceWarnings } from './service.warnings.js';

/** Kind → its defaults and validation. */
export const rules: KindRulesTable = {
  Binding: { validate: validateBinding },
  ConfigMap: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
  Endpoints: { setDefaults: setEndpointsDefaults, validate: validateEndpoints },
  // The strategy validates events, since the rules depend on the API group.
  Event: { validateName: validatePathSegmentName, anyFinalizer: true },
  LimitRange: { setDefaults: setLimitRangeDefaults, validate: validateLimitRange },
  Namespace: {
    setDefaults: setNamespaceDefaults,
    validateName: validateDnsLabelName,
    validate: validateNamespace,
    validateUpdate: () => [],
    validateStatusUpdate: validateNamespaceStatusUpdate,
  },
  Node: {
    setDefaults: setNodeDefaults,
    validate: validateNode,
    validateUpdate: validateNodeUpdate,
    warnings: nodeWarnings,
  },
  PersistentVolume: {
    setDefaults: setPersistentVolumeDefaults,
    validate: validatePersistentVolume,
    validateUpdate: validatePersistentVolumeUpdate,
    warnings: persistentVolumeWarnings,
  },
  PersistentVolumeClaim: {
    setDefaults: setPersistentVolumeClaimDefaults,
    validate: validatePersistentVolumeClaim,
    validateUpdate: validatePersistentVolumeClaimUpdate,
    validateStatusUpdate: validatePersistentVolumeClaimStatusUpdate,
    warnings: persistentVolumeClaimWarnings,
  },
  Pod: {
    setDefaults: setPodDefaults,
    setDefaultsBesideSpec: setPodDefaultsBesideSpec,
    content: { validate: validatePodContent, readsSame: readsSameMetadata },
    validate: validatePod,
    validateUpdate: validatePodUpdate,
    validateStatusUpdate: validatePodStatusUpdate,
    warnings: podWarnings,
  },
  PodTemplate: {
    setDefaults: (object: PodTemplate) => setPodTemplateSpecDefaults((object.template ??= {})),
    validate: validatePodTemplate,
    warnings: (object: PodTemplate, previous?: PodTemplate) =>
      podTemplateWarnings(FieldPath.of('template'), object.template, previous?.template),
  },
  ReplicationController: {
    setDefaults: setReplicationControllerDefaults,
    validate: validateReplicationController,
    validateStatusUpdate: validateReplicationControllerStatusUpdate,
    warnings: (object: ReplicationController, previous?: ReplicationController) =>
      podTemplateWarnings(FieldPath.of('spec', 'template'), object.spec?.template, previous?.spec?.template),
  },
  ResourceQuota: {
    setDefaults: setResourceQuotaDefaults,
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
    validateStatusUpdate: validateResourceQuotaStatusUpdate,
  },
  Secret: {
    setDefaults: setSecretDefaults,
    validate: validateSecret,
    validateUpdate: validateSecretUpdate,
    warnings: secretWarnings,
  },
  Service: {
    setDefaults: setServiceDefaults,
    validateName: validateDnsLabelName,
    validate: validateService,
    validateUpdate: validateServiceUpdate,
    validateStatusUpdate: validateServiceStatusUpdate,
    warnings: serviceWarnings,
  },
};
