export { decodeUtf8, type JsonLimits, type ParsedJson, parseJson } from './decode-json.js';
export {
  type DecodedObject,
  decodeObject,
  decodeOwnedObject,
  decodingWarnings,
  emptyValue,
  strictDecodingError,
} from './decode-object.js';
export { formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.js';
export * from './exchange.js';
export * from './field-error.js';
export * from './field-path.js';
export {
  escapeValue as escapeFieldValue,
  type FieldRequirement,
  FieldSelector,
  parseFieldSelector,
} from './field-selector.js';
export * from './group-version.js';
export {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isMapped,
  isValidCidr,
  isValidIp,
  maskedCidr,
  parseCidr,
  parseIp,
} from './ip.js';
export {
  type LabelOperator,
  type LabelRequirement,
  LabelSelector,
  type LabelSelectorObject,
  type Labels,
} from './label-selector.js';
export { validateLabelName, validateLabelSelector, validateLabels } from './label-selector.validation.js';
export {
  byteLength,
  isCIdentifier,
  isCidr,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDomainPrefixedPath,
  isEnvVarName,
  isHttpHeaderName,
  isInRange,
  isIp,
  isLabelValue,
  isPathSegmentName,
  isPathSegmentPrefix,
  isPercent,
  isQualifiedName,
  isRelaxedEnvVarName,
  isValidPortName,
  isValidPortNumber,
  isWildcardDns1123Subdomain,
  maxLength,
  type NameCheck,
  regexError,
  validateDns1035LabelName,
  validateDnsLabelName,
  validateDnsSubdomainName,
  validatePathSegmentName,
  withPrefix,
} from './names.js';
export * from './object-key.js';
export * from './object-meta.js';
export {
  type ObjectMetaRules,
  validateAnnotations,
  validateFieldManager,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.validation.js';
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
export { applyJsonPatch, type JsonPatchOperation, maxJsonPatchOperations } from './patch/json-patch.js';
export { applyMergePatch, applyMergePatchToObject, createMergePatch } from './patch/merge-patch.js';
export { applyStrategicMergePatch } from './patch/strategic-merge-patch.js';
export { fromBase64, toBase64 } from './protobuf/base64.js';
export {
  type Envelope,
  isEnvelope,
  openEnvelope,
  protobufMediaType,
  wrapEnvelope,
  wrapListEnvelope,
} from './protobuf/envelope.js';
export { decodeKind, encodeKind } from './protobuf/kinds.js';
export { decodeProto, encodeProto } from './protobuf/proto.js';
export { encodeWatchFrame, type WatchFrame, WatchFrameReader } from './protobuf/watch-frame.js';
export { canonicalQuantity, parseQuantity, Quantity, QuantityError, type QuantityFormat } from './quantity.js';
export * from './resource-info.js';
export * from './schema.js';
export * from './status-error.js';
export { formatMicroTime, formatTime, parseInstant, parseTime } from './time.js';
export * from './watch-event.js';
