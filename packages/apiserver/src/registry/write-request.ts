import type { ObjectView } from '../admission/admission.js';
import type { Annotate } from '../audit/audit-event.js';
import type { RequestLifetime } from '../request-lifetime.js';
import type { RequestTrace } from '../request-trace.js';
import type { ServedResource } from '../served-resource.js';
import type { UserInfo } from '../user-info.js';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Options of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  /** As sent by the client, otherwise taken from its user agent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** CreateOptions, UpdateOptions or PatchOptions as admission sees them. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** One write of one object, with everything that the registry needs from the request. */
export interface WriteRequest {
  readonly resource: ServedResource;
  readonly namespace: string;
  /** Empty if the object has its own. */
  readonly name: string;
  /** Set for one of the objects of a collection that one request deletes without naming them. */
  readonly isOfCollection?: boolean;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly options: WriteOptions;
  readonly warn: (message: string) => void;
  /** Adds annotations to the audit event of the request, if there is one. */
  readonly annotate?: Annotate | undefined;
  /** Checked before a write is tried again. */
  readonly lifetime?: RequestLifetime;
  /** What the client sees of the object, if that is a part of it. */
  readonly view?: ObjectView;
  /** Set if the tracer follows the request. */
  readonly trace?: RequestTrace | undefined;
  /** Whether the object may have empty lists that are not stored; see `DecodeOptions` of the decoder. */
  readonly holdsEmpty?: () => boolean;
}
