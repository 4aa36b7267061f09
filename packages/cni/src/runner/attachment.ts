import type { JsonObject, JsonValue } from '@coracle/base';

/** One container on one network: the parameters of a runtime for plugins. */
export interface Attachment {
  readonly containerId: string;
  /** The path of the network namespace. DEL may come without one. */
  readonly netns?: string;
  readonly ifName: string;
  /** Of `CNI_ARGS`, in order. */
  readonly args?: readonly (readonly [string, string])[];
  /** By capability: a plugin receives those that it declares. */
  readonly capabilities?: Readonly<Record<string, JsonValue>>;
}

/** The key of an attachment within a network. */
export interface AttachmentKey {
  readonly containerId: string;
  readonly ifName: string;
}

/** State of an attachment that the runner stores between ADD and DEL. */
export interface CachedAttachment {
  readonly attachment: Attachment;
  /** The last result of the chain, in the form of the network's version. */
  readonly result: JsonObject;
}

/** The cache of results, by network and attachment. */
export interface ResultCache {
  read(network: string, key: AttachmentKey): Promise<CachedAttachment | undefined>;
  write(network: string, cached: CachedAttachment): Promise<void>;
  remove(network: string, key: AttachmentKey): Promise<void>;
  list(network: string): Promise<readonly CachedAttachment[]>;
}
