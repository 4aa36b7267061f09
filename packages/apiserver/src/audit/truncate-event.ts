import { readJson, writeJson } from '@coracle/apimachinery';
import type { AuditEvent } from './audit-event.js';

const annotation = 'audit.k8s.io/truncated';

/** An event in JSON: without its objects if it would be too large with them; `undefined` if it is too large even so. */
export function truncateEvent(text: string, maxEventBytes: number): string | undefined {
  if (byteLength(text) <= maxEventBytes) return text;
  const event = readJson(text) as AuditEvent;
  const { requestObject: _request, responseObject: _response, ...bare } = event;
  const short = writeJson({ ...bare, annotations: { ...event.annotations, [annotation]: 'true' } });
  return byteLength(short) <= maxEventBytes ? short : undefined;
}

function byteLength(text: string): number {
  // No character takes more than three bytes for each unit of UTF-16.
  return text.length * 3 < 1024 ? text.length : new TextEncoder().encode(text).length;
}
