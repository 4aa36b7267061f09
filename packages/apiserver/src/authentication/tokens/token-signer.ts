import { SignJWT } from 'jose';
import type { ServiceAccountClaims } from './service-account-claims.js';

/** A key of the Web Crypto API. (Its global name differs between platforms.) */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Signs service account tokens. */
export interface TokenSigner {
  readonly issuer: string;
  sign(claims: ServiceAccountClaims): Promise<string>;
}

export function createTokenSigner(options: {
  readonly issuer: string;
  readonly keyId: string;
  readonly key: SigningKey;
  readonly algorithm: string;
}): TokenSigner {
  return {
    issuer: options.issuer,
    sign: (claims) =>
      new SignJWT({ ...claims, aud: [...claims.aud] })
        .setProtectedHeader({ alg: options.algorithm, kid: options.keyId })
        .sign(options.key),
  };
}
