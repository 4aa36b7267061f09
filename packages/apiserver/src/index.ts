export type * from './admission/admission.js';
export {
  defaultPlugins,
  idlePlugins,
  type PluginChoice,
  type PluginDependencies,
} from './admission/default-plugins.js';
export { createApiServer } from './api-server.js';
export type {
  AdmissionParts,
  ApiServer,
  ApiServerOptions,
  ServedCrd,
  StorageMediaType,
  StoreOverride,
} from './api-server-options.js';
export type { AuditBackend, AuditEvent, AuditLevel, AuditStage } from './audit/audit-event.js';
export { type AuditPolicy, parseAuditPolicy } from './audit/audit-policy.js';
export { BatchBackend, type BatchSettings, type BatchSink } from './audit/batch-backend.js';
export { legacyLine } from './audit/legacy-format.js';
export { truncateEvent } from './audit/truncate-event.js';
export { blockingBackend, webhookSink } from './audit/webhook-sink.js';
export type * from './authentication/authenticator.js';
export { bearerToken, forAudiences, type TokenAuthenticator } from './authentication/bearer-token.js';
export { clientCertificate } from './authentication/client-certificate.js';
export { inProcess } from './authentication/in-process.js';
export { jwtAuthenticator } from './authentication/jwt/jwt-authenticator.js';
export { type JwtConfig, jwtProblems } from './authentication/jwt/jwt-config.js';
export { ReplaceableTokens } from './authentication/jwt/replaceable-tokens.js';
export { anonymousAt, noAnonymous } from './authentication/no-anonymous.js';
export { exceptProxies, type RequestHeaderOptions, requestHeader } from './authentication/request-header.js';
export { bootstrapToken } from './authentication/tokens/bootstrap-token.js';
export { type LegacyToken, legacyToken, signLegacyToken } from './authentication/tokens/legacy-token.js';
export { serviceAccountToken } from './authentication/tokens/service-account-token.js';
export { tokenFile } from './authentication/tokens/token-file.js';
export { createTokenSigner, type SigningKey, type TokenSigner } from './authentication/tokens/token-signer.js';
export { webhookToken } from './authentication/tokens/webhook-token.js';
export { webSocketToken } from './authentication/web-socket-token.js';
export type * from './authorization/authorizer.js';
export { authorizerByMode, privilegedGroup, union } from './authorization/authorizers.js';
export { ReplaceableAuthorizer } from './authorization/replaceable-authorizer.js';
export { webhookAuthorizer } from './authorization/webhook/webhook-authorizer.js';
export { type AccessExplanation, whyCanEndpoints } from './authorization/why-can.js';
export type { AuthenticationInfo } from './bootstrap/authentication-info.js';
export type { EndpointReconciler } from './bootstrap/endpoint-reconciler.js';
export { reconcileRbac } from './bootstrap/reconcile-rbac.js';
export { encryptedStore, type TransformersOf } from './encryption/encrypted-store.js';
export { identity, TransformerChain, type ValueTransformer } from './encryption/value-transformer.js';
export { issuerDocuments } from './endpoints/issuer-documents.js';
export type { LogFiles } from './endpoints/logs.js';
export { describeBuild, type ProcessStats, ProcessUse } from './endpoints/process-metrics.js';
export { type Profiler, profilingEndpoints } from './endpoints/profiling.js';
export { type ZPagesOptions, zPages } from './endpoints/z-pages.js';
export { gateConflict, hasNoEffect } from './features/feature-dependencies.js';
export { FeatureGates, gateProblem, usualFeatures } from './features/feature-gates.js';
export { showFeatures } from './features/show-features.js';
export type { AuditOptions } from './filters/audit.js';
export type { InFlightLimits } from './filters/in-flight-limits.js';
export { chain, type Filter, type Handler, type RequestContext } from './handler-chain.js';
export { HealthRecord } from './health/health-checks.js';
export { checkStore } from './health/own-checks.js';
export type * from './object-reader.js';
export {
  type BoundedAnswer,
  type Bounds,
  deadlineExceeded,
  readBounded,
  readBoundedJson,
} from './outbound/bounded-answer.js';
export type * from './outbound/destination.js';
export {
  addressOfUrl,
  addressText,
  type DialAddress,
  DialError,
  type Dialer,
  noNetwork,
  type OutboundRequest,
  type OutboundTls,
} from './outbound/dialer.js';
export { type InProcessService, Outbound, type OutboundOptions } from './outbound/outbound.js';
export type { OutboundCredentials, WebhookCredentials } from './outbound/webhook-client.js';
export { type WebhookEndpoint, type WebhookTarget, webhookEndpoint } from './outbound/webhook-endpoint.js';
export { authenticationReviews } from './registry/authentication/reviews.js';
export { accessReviews } from './registry/authorization/access-reviews.js';
export { type ComponentProbe, componentStatuses } from './registry/core/component-statuses.js';
export { type KubeletClientOptions, kubeletClient } from './registry/core/node-access/kubelet-client.js';
export { nodeAccess } from './registry/core/node-access/node-access.js';
export type * from './registry/core/node-access/node-connector.js';
export { serviceAccountTokenRequest } from './registry/core/service-account-token.js';
export {
  firstServiceAddress,
  type ServiceRangeOptions,
  usualServiceRanges,
} from './registry/core/service-allocation/service-ranges.js';
export type * from './registry/reservation.js';
export { resourceOfKey } from './registry/resource-of-key.js';
export type * from './registry/strategy.js';
export type * from './registry/subresource.js';
export type { UpdateEndpoint } from './registry/update-object.js';
export type { WriteRequest } from './registry/write-request.js';
export type { RequestInfo } from './request-info.js';
export type { Needs, ServerParts } from './server-parts.js';
export { anonymous, type UserInfo } from './user-info.js';
