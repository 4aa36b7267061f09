import { type FieldError, FieldPath, invalidField } from '@coracle/apimachinery';
import type { TokenRequest } from '../../generated/types/authentication-v1.js';
import { defaultTokenSeconds } from './token-request.defaults.js';

const minSeconds = 600;
const maxSeconds = 2 ** 32;

export function validateTokenRequest({ spec }: TokenRequest): FieldError[] {
  const path = FieldPath.of('spec', 'expirationSeconds');
  const seconds = spec?.expirationSeconds ?? defaultTokenSeconds;
  if (seconds < minSeconds) return [invalidField(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds) {
    return [invalidField(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}
