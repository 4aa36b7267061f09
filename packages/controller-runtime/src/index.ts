export { ControllerBuilder, newController, type WatchSettings } from './builder.js';
export { type CacheOptions, type CacheSelection, withoutManagedFields } from './cache/cache-options.js';
export { type CachedClientOptions, cachedClient } from './cache/cached-client.js';
export { type CacheReadOptions, ObjectCache, type ObjectCacheDependencies } from './cache/object-cache.js';
export { Controller, type ControllerOptions, type ControllerSettings } from './controller.js';
export {
  type EnqueueOwnerOptions,
  type EventHandler,
  enqueueMapped,
  enqueueObject,
  enqueueOwner,
  requestFor,
} from './event-handler.js';
export type { HealthCheck } from './health-checks.js';
export { createManager, Manager } from './manager.js';
export type { ManagerOptions, Serve } from './manager-options.js';
export { createOrPatch, createOrUpdate, type Desired, type Written } from './objects/create-or-update.js';
export { type Finalized, type Finalizer, runFinalizers } from './objects/finalizers.js';
export { AlreadyOwnedError, setControllerReference, setOwnerReference } from './objects/set-controller-reference.js';
export { type Conditioned, type NewCondition, withCondition, writeStatus } from './objects/status.js';
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  objectMatches,
  type Predicate,
  predicateBy,
  resourceVersionChanged,
} from './predicate.js';
export {
  type ReconcileContext,
  type ReconcileFunction,
  type ReconcileOutcome,
  type Reconciler,
  type ReconcilerObject,
  type Request,
  reconcileObject,
} from './reconciler.js';
export { lowPriority, type RequestQueue } from './request-queue.js';
export type { Runnable, RunnableGroup } from './runnable.js';
export {
  type AnyDefinedResource,
  type CrdOptions,
  type CustomObject,
  type CustomObjectInput,
  type CustomResourceDefinition,
  crdOf,
  type DefinedResource,
  defineResource,
  type ObjectOf,
  type PrinterColumn,
  type ResourceOptions,
  type ScalePaths,
} from './schema/define-resource.js';
export { type OperatorRoleOptions, operatorRole } from './schema/operator-role.js';
export { type OperatorWorkloadOptions, operatorWorkload } from './schema/operator-workload.js';
export {
  ArrayNode,
  type Fields,
  MapNode,
  NumberNode,
  ObjectNode,
  type OneOf,
  type StatusCondition,
  StringNode,
  s,
} from './schema/schema-builders.js';
export {
  type AnyNode,
  type Infer,
  type InferInput,
  type JsonSchema,
  type RuleOptions,
  SchemaNode,
} from './schema/schema-node.js';
export { userRoles } from './schema/user-roles.js';
export {
  channelSource,
  functionSource,
  informerSource,
  kindSource,
  type Source,
  type SourceOptions,
} from './source.js';
export type { SourceEvent } from './source-event.js';
export {
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
  allowed,
  denied,
  type JsonPatchStep,
} from './webhook/admission-review.js';
export { admissionWebhook } from './webhook/admission-webhook.js';
export { type ConvertibleKind, conversionWebhook, type VersionConversion } from './webhook/conversion-webhook.js';
export { createJsonPatch } from './webhook/create-json-patch.js';
export {
  type Defaulter,
  defaulting,
  type ValidationResult,
  type Validator,
  validating,
} from './webhook/object-webhooks.js';
export { newWebhook, WebhookBuilder, webhookPath } from './webhook/webhook-builder.js';
export {
  mutatingWebhookManifest,
  validatingWebhookManifest,
  type WebhookManifestOptions,
} from './webhook/webhook-manifests.js';
export { WebhookServer } from './webhook/webhook-server.js';
