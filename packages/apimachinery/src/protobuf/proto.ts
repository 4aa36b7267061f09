import type { Schema } from '../schema.js';
import { codecOf } from './codecs.js';
import { WireReader } from './wire-reader.js';
import { WireWriter } from './wire-writer.js';

/**
 * The protobuf message of an object in its canonical form, byte for byte as Kubernetes writes it.
 * `apiVersion` and `kind` of a kind are not in the message but in the envelope around it.
 */
export function encodeProto(object: unknown, schema: Schema): Uint8Array {
  const writer = new WireWriter();
  codecOf(schema).write(writer, object);
  return writer.finish();
}

/** The object in a message, in its canonical form. Bytes that are no such message are a `StatusError` BadRequest. */
export function decodeProto(bytes: Uint8Array, schema: Schema): unknown {
  return codecOf(schema).read(new WireReader(bytes));
}
