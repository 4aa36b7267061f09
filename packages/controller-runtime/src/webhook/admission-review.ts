import type { KubeObject, Status } from '@coracle/apimachinery';

/** An admission request to a webhook. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo?: { readonly username?: string; readonly uid?: string; readonly groups?: readonly string[] };
  /** Absent when something is deleted. */
  readonly object?: T | null;
  /** The object before the change; absent on create. */
  readonly oldObject?: T | null;
  readonly dryRun?: boolean;
  readonly options?: unknown;
}

/** The response, without the fields that are copied from the request. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why not, or anything else for the client. */
  readonly status?: Partial<Status>;
  /** RFC 6902, to be applied to the object before it is looked at further. */
  readonly patch?: readonly JsonPatchStep[];
  /** Sent to the client as warnings. */
  readonly warnings?: readonly string[];
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** One step of a JSON Patch (RFC 6902). */
export interface JsonPatchStep {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path: string;
  readonly value?: unknown;
}

/** Decides about one request. Errors reject the request: a `StatusError` with its own status, others with a 500. */
export type AdmissionHandler = (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>;

/** Allows a request unchanged. */
export const allowed: AdmissionAnswer = Object.freeze({ allowed: true });

/** Rejects a request, with the reason for its sender. */
export function denied(message: string): AdmissionAnswer {
  return { allowed: false, status: { code: 403, reason: 'Forbidden', message } };
}
