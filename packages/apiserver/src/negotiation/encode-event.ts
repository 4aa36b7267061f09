import type { KubeObject, Status } from '@coracle/apimachinery';
import type { ChangeType } from '../storage/cache-event.js';
import type { StoredObject } from '../storage/stored-object.js';
import { jsonEvent, jsonOf } from './encode-json.js';
import type { Target } from './encoders.js';

export type { Target };

const encoder = new TextEncoder();

export function encodeEvent({ resource }: Target, type: ChangeType, object: StoredObject): Uint8Array {
  return jsonEvent(type, jsonOf(resource, object));
}

export function encodeBookmark(_target: Target, object: KubeObject): Uint8Array {
  return jsonEvent('BOOKMARK', encoder.encode(JSON.stringify(object)));
}

export function encodeErrorEvent(_target: Target, status: Status): Uint8Array {
  return jsonEvent('ERROR', encoder.encode(JSON.stringify(status)));
}
