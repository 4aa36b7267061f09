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

/** A call of an unknown handler: it may need any part. */
export type AnyCall = SubresourceCall<keyof ServerParts>;

/** What is answered: an object as in JSON, not a stored one. */
export interface SubresourceAnswer {
  /** 201 for create and 200 for all else, unless stated. */
  readonly status?: number;
  readonly object: unknown;
  /** How it is shown as a table; as its kind is unless stated. */
  readonly printer?: TablePrinter;
}

/**
 * What a subresource does. Each function serves the verb of its name; discovery decides which verbs there are.
 * Resources that are never stored (reviews, bindings) are served in the same way, under `group/resource`.
 */
export interface SubresourceHandler {
  /** GET, PUT and PATCH of the object itself, of which this endpoint may change only a part (approval, resize). */
  endpoint?(write: WriteRequest): UpdateEndpoint;
  get?(call: AnyCall): Promise<SubresourceAnswer>;
  /** What a patch is made to, which is what `get` answers unless stated. */
  patched?(call: AnyCall): Promise<SubresourceAnswer>;
  list?(call: AnyCall): Promise<SubresourceAnswer>;
  /** `body` is decoded as the kind that discovery names for the subresource; its defaults are set. */
  create?(call: AnyCall, body: KubeObject): Promise<SubresourceAnswer>;
  update?(call: AnyCall, body: KubeObject): Promise<SubresourceAnswer>;
  /** Server-side apply, where what is applied stands for a part of the object itself. */
  readonly part?: SubresourcePart;
  /** Any method, any body, any answer: logs and proxies. */
  handle?(call: AnyCall): Promise<ApiResponse>;
  /**
   * Opens a channel for a client that requested one in one of these protocols: exec, attach, port-forward. If the
   * handler that is at the other end opens none, its answer is passed on. Without protocols it throws, because it has no
   * client that asked.
   */
  connect?(call: AnyCall, protocols: readonly string[] | undefined): Promise<Channel | ApiResponse>;
}

/** How a subresource such as a Scale and its object say the same thing. */
export interface SubresourcePart {
  /** The fields of the object that a configuration of the subresource sets. */
  fieldsOf(config: KubeObject): object;
  answerOf(stored: StoredObject, resource: ServedResource): MaybePromise<unknown>;
  /** The error for apply requests, which a client without a conflict gets. */
  refusal?(write: WriteRequest): StatusError;
}

/** `group/resource/subresource` → what it does. The core group is empty: `/pods/binding`. */
export type SubresourceTable = Readonly<Record<string, SubresourceHandler>>;
