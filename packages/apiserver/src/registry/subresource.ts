import type { ApiResponse, Channel, KubeObject, StatusError, TablePrinter } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import type { ServedResource } from '../served-resource.js';
import type { Needs, ServerParts } from '../server-parts.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { UpdateEndpoint } from './update-object.js';
import type { WriteRequest } from './write-request.js';

/**
 * One request to a subresource, with the parts of the server that it needs: `SubresourceCall<'registry'>`. `write`
 * names the object (`write.name` in `write.namespace`) and can be passed on to `parts.registry`, with another resource
 * if need be.
 */
export interface SubresourceCall<P extends keyof ServerParts = never> {
  readonly parts: Needs<P>;
  readonly context: RequestContext;
  readonly write: WriteRequest;
}

/** A call of an unknown handler, with all parts. */
export type AnyCall = SubresourceCall<keyof ServerParts>;

/** The response object, as in JSON; it is not stored. */
export interface SubresourceAnswer {
  /** 201 for create and 200 for all else, unless stated. */
  readonly status?: number;
  readonly object: unknown;
  /** Its columns as a table; those of its kind unless stated. */
  readonly printer?: TablePrinter;
}

/**
 * Implementation of a subresource. Each function serves the verb of its name; discovery lists the verbs. Resources that
 * are never stored (reviews, bindings) are served in the same way, under `group/resource`.
 */
export interface SubresourceHandler {
  /** GET, PUT and PATCH of the object itself, of which this endpoint may change only a part (approval, resize). */
  endpoint?(write: WriteRequest): UpdateEndpoint;
  get?(call: AnyCall): Promise<SubresourceAnswer>;
  /** The object that a patch changes; the result of `get` unless stated. */
  patched?(call: AnyCall): Promise<SubresourceAnswer>;
  list?(call: AnyCall): Promise<SubresourceAnswer>;
  /** `body` is decoded as the kind that discovery states for the subresource; its defaults are set. */
  create?(call: AnyCall, body: KubeObject): Promise<SubresourceAnswer>;
  update?(call: AnyCall, body: KubeObject): Promise<SubresourceAnswer>;
  /** Server-side apply, where the applied configuration represents a part of the object itself. */
  readonly part?: SubresourcePart;
  /** Any method, body and response: logs and proxies. */
  handle?(call: AnyCall): Promise<ApiResponse>;
  /**
   * Opens a channel for a client that requested one in one of these protocols: exec, attach, port-forward. If the
   * remote handler opens none, its response is passed on. Without protocols it throws, because there is no client to
   * answer.
   */
  connect?(call: AnyCall, protocols: readonly string[] | undefined): Promise<Channel | ApiResponse>;
}

/** Maps the fields of a subresource such as a Scale to those of its object. */
export interface SubresourcePart {
  /** The fields of the object that a configuration of the subresource sets. */
  fieldsOf(config: KubeObject): object;
  answerOf(stored: StoredObject, resource: ServedResource): MaybePromise<unknown>;
  /** The error for an apply request without a conflict, if it is not supported. */
  refusal?(write: WriteRequest): StatusError;
}

/** `group/resource/subresource` → its implementation. The core group is empty: `/pods/binding`. */
export type SubresourceTable = Readonly<Record<string, SubresourceHandler>>;
