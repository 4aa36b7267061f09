import { badRequest } from '../status-error.js';
import { WireReader } from './wire-reader.js';
import { WireType, WireWriter } from './wire-writer.js';

/** The media type of objects in this form. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

/** The envelope of a message: its kind. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The message. */
  readonly raw: Uint8Array;
}

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0);

/** The form in which an object travels and is stored: `k8s\0` and a `runtime.Unknown` that holds the message. */
export function wrapEnvelope({ apiVersion, kind, raw }: Envelope): Uint8Array {
  const writer = new WireWriter(raw.length + apiVersion.length + kind.length + 32);
  writeText(writer, 4, '');
  writeText(writer, 3, '');
  const beforeRaw = writer.length;
  writer.raw(raw);
  writer.header(2, beforeRaw);
  writeTypeMeta(writer, apiVersion, kind);
  writer.raw(magic);
  return writer.finish();
}

/**
 * The same for a list, around items that are messages already and are not copied: the chunks make up the answer.
 * `metadata` is the message of the list's own metadata.
 */
export function wrapListEnvelope(list: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Uint8Array;
  readonly items: readonly Uint8Array[];
}): Uint8Array[] {
  const body: Uint8Array[] = [lengthDelimited(1, list.metadata.length), list.metadata];
  for (const item of list.items) body.push(lengthDelimited(2, item.length), item);
  const size = body.reduce((sum, { length }) => sum + length, 0);
  const head = new WireWriter(64);
  head.varint(size);
  head.tag(2, WireType.bytes);
  writeTypeMeta(head, list.apiVersion, list.kind);
  head.raw(magic);
  return [head.finish(), ...body, Uint8Array.of(0x1a, 0, 0x22, 0)];
}

/** True if the bytes begin as an envelope does. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);
}

/** Opens an envelope. The message shares memory with the bytes. Whatever is no envelope is a `StatusError` BadRequest. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!isEnvelope(bytes))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const reader = new WireReader(bytes.subarray(magic.length));
  const envelope = { apiVersion: '', kind: '', raw: new Uint8Array() as Uint8Array, contentEncoding: '' };
  while (reader.position < reader.limit) {
    const number = reader.field();
    if (reader.wireType !== WireType.bytes) reader.skip();
    else if (number === 1) Object.assign(envelope, readTypeMeta(reader));
    else if (number === 2) envelope.raw = reader.slice();
    else if (number === 3) envelope.contentEncoding = reader.text();
    else reader.skip();
  }
  const { contentEncoding, ...rest } = envelope;
  if (contentEncoding !== '') throw badRequest(`content encoding ${JSON.stringify(contentEncoding)} is not supported`);
  return rest;
}

function readTypeMeta(reader: WireReader): { apiVersion: string; kind: string } {
  const outer = reader.enter();
  const meta = { apiVersion: '', kind: '' };
  while (reader.position < reader.limit) {
    const number = reader.field();
    if (reader.wireType !== WireType.bytes) reader.skip();
    else if (number === 1) meta.apiVersion = reader.text();
    else if (number === 2) meta.kind = reader.text();
    else reader.skip();
  }
  reader.leave(outer);
  return meta;
}

function writeTypeMeta(writer: WireWriter, apiVersion: string, kind: string): void {
  const before = writer.length;
  writeText(writer, 2, kind);
  writeText(writer, 1, apiVersion);
  writer.header(1, before);
}

function writeText(writer: WireWriter, number: number, value: string): void {
  const before = writer.length;
  writer.text(value);
  writer.header(number, before);
}

function lengthDelimited(number: number, size: number): Uint8Array {
  const writer = new WireWriter(11);
  writer.varint(size);
  writer.tag(number, WireType.bytes);
  return writer.finish();
}
