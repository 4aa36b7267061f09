export {
  kindsToCheck,
  resourcesToCheck,
  type TypedKind,
  typeCheckPolicy,
} from './admissionregistration/v1/type-check-policy.js';
export { schemaOfAnswer } from './answer-schemas.js';
export { type Correlation, correlate } from './apiextensions/v1/correlation.js';
export { ExpressionRules } from './apiextensions/v1/expression-rules.js';
export { type ValueHistory, validatePart, validateValue } from './apiextensions/v1/json-value.validation.js';
export { checkListKeys, keyOf } from './apiextensions/v1/list-keys.validation.js';
export { type SchemaCelType, schemaCelType } from './apiextensions/v1/schema-cel-type.js';
export { ruleEnvironment } from './apiextensions/v1/schema-rules.validation.js';
export { templateGenerationAnnotation } from './apps/v1/daemon-set.defaults.js';
export { type CronSchedule, type FieldSchedule, isTimeZone, parseSchedule } from './batch/v1/cron-schedule.js';
export { type IndexInterval, parseIndexes } from './batch/v1/job-indexes.js';
export { generateJobSelector } from './batch/v1/job-selector.js';
export { pemBlocks } from './certificates/v1/pem-blocks.js';
export { certificateFacts, subjectAttributes } from './certificates/v1/read-certificate.js';
export { type RequestedCertificate, readCertificateRequest } from './certificates/v1/read-request.js';
export { signerRefusal, signers } from './certificates/v1/signers.js';
export { validatePodCertificateRequestStatus } from './certificates/v1beta1/pod-certificate-request-status.validation.js';
export { printerFromColumns } from './columns/custom-columns.js';
export { builtInConversions } from './conversion/conversions.js';
export { mayRestart, mayRestartAll, restartsAll } from './core/v1/container-restart.js';
export { type EventGroup, validateEventCreate, validateEventUpdate } from './core/v1/event.validation.js';
export {
  claimClass,
  claimMismatch,
  findVolume,
  isBoundTo,
  type MatchOptions,
  volumeClass,
} from './core/v1/match-volume.js';
export { validateNamespaceFinalize } from './core/v1/namespace.validation.js';
export { nodeSelectorMatches, requiredNodeAffinityMatches, termMatches } from './core/v1/node-selector-match.js';
export { objectReference } from './core/v1/object-reference.js';
export { isTerminalPhase, isTerminalPod } from './core/v1/pod-phase.js';
export {
  addTo,
  amountsOf,
  containerResources,
  podResources,
  type ResourceAmounts,
  type ResourceSide,
} from './core/v1/pod-resources.js';
export { mirrorServiceAccount } from './core/v1/pod-spec.defaults.js';
export { validateEphemeralContainersUpdate, validatePodResize } from './core/v1/pod-subresource.validation.js';
export { computeQosClass, type QosClass } from './core/v1/qos-class.js';
export { type DeviceQuotaSource, extendedClaimAnnotation } from './core/v1/quota/extended-claim-charges.js';
export type { QuotaEvaluator } from './core/v1/quota/quota-evaluator.js';
export { isInScope, matchingScopes, quotaScopes } from './core/v1/quota/quota-scopes.js';
export { plus, QuotaEvaluators, usageDifference, usageUnder } from './core/v1/quota/quota-usage.js';
export { withActualResources } from './core/v1/resized-resources.js';
export { tolerates, toleratesAny } from './core/v1/tolerations.js';
export { refs } from './generated/refs.js';
export { groupOrder, resources } from './generated/resources.js';
export type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from './generated/types/apps-v1.js';
export type { CronJob, Job } from './generated/types/batch-v1.js';
export type { ClusterTrustBundle } from './generated/types/certificates-v1beta1.js';
export type { Lease } from './generated/types/coordination-v1.js';
export type * from './generated/types/core-v1.js';
export type { EndpointSlice } from './generated/types/discovery-v1.js';
export type {
  Condition,
  DeleteOptions,
  LabelSelector,
  LabelSelectorRequirement,
  Preconditions,
} from './generated/types/meta-v1.js';
export type { PodDisruptionBudget } from './generated/types/policy-v1.js';
export type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/types/rbac-v1.js';
export type { PriorityClass } from './generated/types/scheduling-v1.js';
export type { CSIDriver, CSINode, CSINodeDriver, VolumeAttachment } from './generated/types/storage-v1.js';
export type * from './generated/types.js';
export type { ContentRules, KindRules } from './kind-rules.js';
export type { CustomSchemas } from './openapi/document-kinds.js';
export { openApiV3Index, openApiV3Name, openApiV3Names } from './openapi/openapi-index.js';
export {
  type OpenApiV2Options,
  type OpenApiV2Part,
  openApiV2,
  openApiV2Groups,
  openApiV2Part,
} from './openapi/openapi-v2.js';
export { type OpenApiV3Options, openApiV3, openApiV3Other } from './openapi/openapi-v3.js';
export type { SchemaObject } from './openapi/schema-object.js';
export { type OpenApiComponents, openApiSchemaOf } from './openapi/schema-references.js';
export { disruptionAllowed, disruptionConditions, syncFailed } from './policy/v1/disruption-allowed.js';
export { tablePrinterOf } from './printers.js';
export { type NamedDevice, selectsDevice } from './resource/v1/device-taint-rules.js';
export { toleratesDeviceTaint } from './resource/v1/device-tolerations.js';
export { rulesOf } from './rules.js';
export { schemaOf, schemaOfKind } from './schemas.js';
export { admissionVariables, policyFunctions } from './validation/admission-expressions.js';
export { findPolicyType, objectJson, patchedJson } from './validation/policy-objects.js';
export { deviceClassPrefix, isExtendedResource } from './validation/resource-names.js';
