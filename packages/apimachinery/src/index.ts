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
export * from './group-version.js';
export * from './object-key.js';
export * from './object-meta.js';
export { canonicalQuantity, parseQuantity, Quantity, QuantityError, type QuantityFormat } from './quantity.js';
export * from './resource-info.js';
export * from './schema.js';
export * from './status-error.js';
export { formatMicroTime, formatTime, parseInstant, parseTime } from './time.js';
export * from './watch-event.js';
