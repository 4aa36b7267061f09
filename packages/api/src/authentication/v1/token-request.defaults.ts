import type { TokenRequest } from '../../generated/types/authentication-v1.js';

export const defaultTokenSeconds = 3600;

export function setTokenRequestDefaults(request: TokenRequest): void {
  request.spec ??= {};
  request.spec.expirationSeconds ??= defaultTokenSeconds;
}
