export { type Applied, type ApplyRequest, applyConfiguration } from './apply/apply-configuration.js';
export { atomicFieldsIn } from './apply/atomic-fields.js';
export type { Comparison } from './apply/compare.js';
export { neverChanges } from './apply/created-fields.js';
export { difference, type FieldSet, leaves, pathsOf, union } from './apply/field-set.js';
export { fieldsOf } from './apply/fields-of.js';
export type { Owner, Owners } from './apply/managed-fields.js';
export { mergeObjects } from './apply/merge.js';
export type { ConvertObject, VersionedObject } from './apply/ownership.js';
export { trackUpdate, type UpdateToTrack } from './apply/track-update.js';
export { formatProblems, typeProblems } from './apply/typed-check.js';
export { bodyBytes } from './body-bytes.js';
export { CelEnvironment, type CelEnvironmentOptions } from './cel/cel-environment.js';
export { CelError, type CelErrorKind } from './cel/cel-error.js';
export { type CelOutcome, CelProgram, perCallCostLimit } from './cel/cel-program.js';
export type { CostRange } from './cel/cost/cost-range.js';
export type { SizeOfPath } from './cel/cost/estimate-cost.js';
export {
  authorizerType,
  type CelAuthorizationDecision,
  type CelAuthorizationRequest,
  celAuthorizer,
  celResourceCheck,
  type DecideCelAuthorization,
  resourceCheckType,
} from './cel/library/authorizer.js';
export { declare, type FunctionDeclaration, global, member, signature } from './cel/overload.js';
export { type FromJson, JsonList, ValueList } from './cel/values/cel-list.js';
export { JsonMap, ValueMap } from './cel/values/cel-map.js';
export {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  isOptional,
  listType,
  mapType,
  nullType,
  objectType,
  opaqueType,
  optionalType,
  stringType,
  timestampType,
} from './cel/values/cel-type.js';
export {
  CelDuration,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
} from './cel/values/cel-value.js';
export { EvaluationFailure } from './cel/values/evaluation-failure.js';
export { fromJson, toJson } from './cel/values/json-value.js';
export type { CelMessageType, FindMessageType } from './cel/values/message-type.js';
export { parseTimestamp } from './cel/values/timestamps.js';
export { type Channel, channelPair, normalClosure, type PairedChannel } from './channel.js';
export { commandChannels, frame, spdyPortForward, spdyPrefix, unframe } from './command-channels.js';
export {
  type ConditionLike,
  type ConditionStatus,
  findCondition,
  isConditionTrue,
  setCondition,
} from './conditions.js';
export { ConversionRegistry, type ConvertibleKind, type Spoke } from './conversion.js';
export { decodeUtf8, type JsonLimits, type ParsedJson, parseDecodedJson, parseJson } from './decode-json.js';
export {
  type DecodedObject,
  type DecodeOptions,
  decodeObject,
  decodeOwnedObject,
  decodingWarnings,
  emptyValue,
  strictDecodingError,
} from './decode-object.js';
export { formatDuration, parseDuration, parseDurationNanos } from './duration.js';
export {
  type ApiRequest,
  type ApiResponse,
  acceptsValues,
  type ByteSink,
  type ByteStream,
  type CertificateIdentity,
  type Exchange,
  type Peer,
  type RequestBody,
  type ResponseBody,
  type ValueSink,
  type ValueStream,
} from './exchange.js';
export {
  duplicateField,
  type ErrorScope,
  type FieldError,
  type FieldErrorType,
  forbiddenField,
  formatFieldError,
  invalidField,
  notFoundField,
  notSupportedField,
  omittedValue,
  type Path,
  requiredField,
  scoped,
  tooLongField,
  tooManyField,
  typeInvalidField,
} from './field-error.js';
export { FieldPath } from './field-path.js';
export { type FieldRequirement, FieldSelector, parseFieldSelector } from './field-selector.js';
export {
  finalizerDomainProblems,
  foregroundFinalizer,
  hasFinalizer,
  isBeingDeleted,
  orphanFinalizer,
  withFinalizer,
  withoutFinalizer,
} from './finalizers.js';
export { decimalLiterals } from './find-duplicates.js';
export { formatYamlNumber } from './go-float.js';
export { type GoRegexp, GoRegexpError, goRegexp } from './go-regexp.js';
export { GoTemplate, type TemplateOptions } from './go-template/execute.js';
export type { TemplateFunction } from './go-template/functions.js';
export { formatValue as formatTemplateValue } from './go-template/go-format.js';
export { TemplateError } from './go-template/lexer.js';
export { requestUrlProblem } from './go-url.js';
export {
  apiVersionOf,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  parseApiVersion,
  qualifiedResource,
} from './group-version.js';
export { formatAge, formatHumanDuration } from './human-duration.js';
export { type IntOrString, type Rounding, scaledValue } from './int-or-string.js';
export { type Int64, int64, int64OfDouble, isInexact } from './int64.js';
export {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isMapped,
  maskedCidr,
  parseCidr,
  parseIp,
} from './ip.js';
export { jsonSyntaxError } from './json-syntax-error.js';
export { fieldReader } from './jsonpath/field-reader.js';
export { formatJsonPathValue, JsonPath, type JsonPathOptions } from './jsonpath/json-path.js';
export { JsonPathError } from './jsonpath/path.js';
export {
  type LabelOperator,
  type LabelRequirement,
  LabelSelector,
  type LabelSelectorObject,
  type Labels,
} from './label-selector.js';
export { validateLabelSelector, validateLabels } from './label-selector.validation.js';
export * from './names.js';
export { keyOf, type ObjectKey, objectKey, splitObjectKey } from './object-key.js';
export type {
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './object-meta.js';
export {
  type ObjectMetaRules,
  validateAnnotations,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.validation.js';
export { objectOfKind } from './object-of-kind.js';
export { encodeOpenApiV2, openApiV2ProtoMediaTypes } from './openapi/openapi-v2-proto.js';
export {
  controllerOf,
  controllerReference,
  gvkOf,
  isControlledBy,
  ownerReference,
  refersTo,
  withOwnerReference,
  withoutOwner,
} from './owner-references.js';
export { parseLabelSelector } from './parse-label-selector.js';
export {
  createThreeWayJsonMergePatch,
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  PatchConflict,
  PreconditionFailed,
  type ThreeWayInput,
  type ThreeWayOptions,
} from './patch/create-patches.js';
export { setField } from './patch/fields.js';
export { formatGoValue } from './patch/go-format.js';
export { applyJsonPatch, type JsonPatchOperation } from './patch/json-patch.js';
export { applyMergePatchToObject, createMergePatch } from './patch/merge-patch.js';
export { unexplainedFailure } from './patch/patch-errors.js';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.js';
export { fromBase64, toBase64 } from './protobuf/base64.js';
export { type Envelope, isEnvelope, protobufMediaType, wrapEnvelope, wrapListEnvelope } from './protobuf/envelope.js';
export { decodeKind, encodeKind } from './protobuf/kinds.js';
export { decodeProto, encodeProto } from './protobuf/proto.js';
export { encodeWatchFrame, type WatchFrame, WatchFrameReader } from './protobuf/watch-frame.js';
export { canonicalQuantity, parseQuantity, Quantity, QuantityError, type QuantityFormat } from './quantity.js';
export { readJson } from './read-json.js';
export { maxRequestBytes } from './request-limits.js';
export type { ResourceInfo, ResourceRef, SubresourceInfo } from './resource-info.js';
export { type PartialResource, RestMapper } from './rest-mapper.js';
export type {
  AnySchema,
  FieldSchema,
  ListSchema,
  MapSchema,
  ObjectSchema,
  Presence,
  ScalarSchema,
  ScalarType,
  Schema,
} from './schema.js';
export { type CommandStreams, commandOverSpdy, openCommand, spdyCommandProtocols } from './spdy/command-over-spdy.js';
export type { SpdyHeaders } from './spdy/header-block.js';
export { SpdyConnection, type SpdyConnectionOptions } from './spdy/spdy-connection.js';
export { SpdyError } from './spdy/spdy-error.js';
export type { SpdyStream } from './spdy/spdy-stream.js';
export * from './status-error.js';
export type { TableColumn, TablePrinter, TableRowCondition } from './table.js';
export { isBase64, isDate, isDateTime, isUuid } from './text-formats.js';
export { formatMicroTime, formatTime, parseInstant, parseTime } from './time.js';
export { initialEventsEnd, type WatchEvent, type WatchEventType } from './watch-event.js';
export { writeJson } from './write-json.js';
export {
  formatYaml,
  formatYamlDocuments,
  parseYaml,
  parseYamlDocuments,
  type YamlDocument,
  type YamlLimits,
} from './yaml/yaml.js';
