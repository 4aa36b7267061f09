import type { Status } from '@coracle/apimachinery';

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type AnnotationLevel = 'Metadata' | 'Request';
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** The user of an event, as in `audit.k8s.io/v1`. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuditObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** An `Event` of `audit.k8s.io/v1`. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser | undefined;
  readonly sourceIPs?: readonly string[] | undefined;
  readonly userAgent?: string | undefined;
  readonly objectRef?: AuditObjectReference | undefined;
  readonly responseStatus?: Partial<Status> | undefined;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Adds an annotation to the event of a request, unless its level is below the stated one. */
export type Annotate = (key: string, value: string, level?: AnnotationLevel) => void;

/** Adds information to the audit event of a request. */
export interface AuditTrail {
  /** The first value of a key stays. Omitted from events below `level`. */
  readonly annotate: Annotate;
}

/** Writes events, each as the JSON of an `AuditEvent`. */
export interface AuditBackend extends AsyncDisposable {
  readonly name: string;
  /**
   * Events are written in the order in which they came. A read then does not wait for its first event, because its
   * response waits for the last one, which is written later.
   */
  readonly keepsOrder?: boolean;
  /** The request waits for the returned promise, so that no event is lost. */
  process(event: string): Promise<void> | undefined;
}

const levels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

export function reaches(level: AuditLevel, minimum: AuditLevel): boolean {
  return levels.indexOf(level) >= levels.indexOf(minimum);
}
