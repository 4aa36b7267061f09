import type { ApiResponse } from '@coracle/apimachinery';
import type { SigningKey } from '../authentication/tokens/token-signer.js';
import type { Handler } from '../handler-chain.js';
import { jsonValue } from '../negotiation/encode-json.js';

export interface IssuerOptions {
  readonly issuer: string;
  /** Public keys that verify tokens; new tokens are signed with the first. */
  readonly keys: readonly { readonly id: string; readonly key: SigningKey; readonly algorithm: string }[];
  /** `host:port` of this server. */
  serverAddress(): string;
}

const keysPath = '/openid/v1/jwks';

/** The OpenID Connect discovery documents with which other programs verify service account tokens. */
export function issuerDocuments({ issuer, keys, serverAddress }: IssuerOptions): Readonly<Record<string, Handler>> {
  return {
    '/.well-known/openid-configuration': async () =>
      send('application/json', {
        issuer,
        jwks_uri: `https://${serverAddress()}${keysPath}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
      }),
    [keysPath]: async () =>
      send('application/jwk-set+json', {
        keys: await Promise.all(
          keys.map(async ({ id, key, algorithm }) => {
            const { ext: _ext, key_ops: _operations, ...jwk } = await crypto.subtle.exportKey('jwk', key);
            return { use: 'sig', ...jwk, kid: id, alg: algorithm };
          }),
        ),
      }),
  };
}

function send(type: string, document: object): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
    body: { kind: 'bytes', chunks: [jsonValue(document, false)] },
  };
}
