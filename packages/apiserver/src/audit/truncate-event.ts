import { readJson, writeJson } from '@coracle/apimachinery';
import type { AuditEvent } from './audit-event.js';

const annotation = 'audit.k8s.io/truncated';

/** An event in JSON: without its objects if it would be too large with them; `undefined` if it is still too large. */
export function truncateEvent(text: string, maxEventBytes: number): string | undefined {
  if (byteLength(text) <= maxEventBytes) return text;
  const event = readJson(text) as AuditEvent;
  const { requestObject: _request, responseObject: _response, ...bare } = event;
  const short = writeJson({ ...bare, annotations: { ...event.annotations, [annotation]: 'true' } });
  return byteLength(short) <= maxEventBytes ? short : undefined;
}

function byteLength(text: string): number {
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  return text.length * 3 < 1024 ? text.length : new TextEncoder().encode(text).length;
}
