import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { TokenRequest } from '../../generated/types/authentication-v1.js';

const minSeconds = 600;
const maxSeconds = 2 ** 32;
const defaultSeconds = 3600;

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec ??= {};
  request.spec.expirationSeconds ??= defaultSeconds;
}

export function validateTokenRequest({ spec }: TokenRequest): FieldError[] {
  const path = FieldPath.of('spec', 'expirationSeconds');
  const seconds = spec?.expirationSeconds ?? defaultSeconds;
  if (seconds < minSeconds) return [invalidField(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds) {
    return [invalidField(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}
