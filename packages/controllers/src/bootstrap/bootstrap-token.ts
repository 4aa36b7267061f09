import type { Secret } from '@coracle/api';
import { parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The namespace of the secrets of bootstrap tokens. */
const tokenNamespace = 'kube-system';
const tokenType = 'bootstrap.kubernetes.io/token';
const namePrefix = 'bootstrap-token-';
const decoder = new TextDecoder();

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
  readonly signs: boolean;
  /** `undefined`: never expires. An invalid time counts as expired. */
  readonly expiresAt: Millis | undefined;
}

/** Parses a bootstrap token secret; `undefined` if it is invalid. */
export function readBootstrapToken({ metadata, type, data = {} }: Secret): BootstrapToken | undefined {
  if (metadata.namespace !== tokenNamespace || type !== tokenType) return undefined;
  const text = (key: string) => decodeBase64(data[key] ?? '');
  const id = text('token-id');
  const secret = text('token-secret');
  if (!id || !secret || metadata.name !== namePrefix + id) return undefined;
  const expiration = text('expiration');
  const expiresAt = expiration ? (parseTime(expiration) ?? 0) : undefined;
  return { id, secret, signs: text('usage-bootstrap-signing') === 'true', expiresAt };
}

export function isExpired({ expiresAt }: BootstrapToken, now: Millis): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

function decodeBase64(text: string): string {
  return decoder.decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
