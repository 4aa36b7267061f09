import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  stringType,
  timestampType,
  uintType,
  wrapperType,
} from '../values/cel-type.js';
import { CelDuration, CelTimestamp, CelUint, type CelValue } from '../values/cel-value.js';
import type { CelMessageType, FindMessageType } from '../values/message-type.js';

/** `google.protobuf.Int32Value{value: 1}` is the number 1. */
function wrapper(type: CelType, zero: CelValue): CelMessageType {
  return {
    type: wrapperType(type),
    fieldType: (field) => (field === 'value' ? type : undefined),
    create: (fields) => fields.get('value') ?? zero,
  };
}

function nanosOf(fields: ReadonlyMap<string, CelValue>): bigint {
  const part = (name: string) => {
    const value = fields.get(name);
    return typeof value === 'bigint' ? value : 0n;
  };
  return part('seconds') * 1_000_000_000n + part('nanos');
}

function secondsAndNanos(type: CelType, create: (nanos: bigint) => CelValue): CelMessageType {
  return {
    type,
    fieldType: (field) => (field === 'seconds' || field === 'nanos' ? intType : undefined),
    create: (fields) => create(nanosOf(fields)),
  };
}

const messages: ReadonlyMap<string, CelMessageType> = new Map([
  ['BoolValue', wrapper(boolType, false)],
  ['BytesValue', wrapper(bytesType, new Uint8Array())],
  ['DoubleValue', wrapper(doubleType, 0)],
  ['FloatValue', wrapper(doubleType, 0)],
  ['Int32Value', wrapper(intType, 0n)],
  ['Int64Value', wrapper(intType, 0n)],
  ['StringValue', wrapper(stringType, '')],
  ['UInt32Value', wrapper(uintType, new CelUint(0n))],
  ['UInt64Value', wrapper(uintType, new CelUint(0n))],
  ['Duration', secondsAndNanos(durationType, (nanos) => new CelDuration(nanos))],
  ['Timestamp', secondsAndNanos(timestampType, (nanos) => new CelTimestamp(nanos))],
]);

/** The message types of protobuf that every expression may use. */
export const findWellKnownMessage: FindMessageType = (name) =>
  name.startsWith('google.protobuf.') ? messages.get(name.slice('google.protobuf.'.length)) : undefined;
