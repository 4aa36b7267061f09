import { type Pod, refs, type ServiceAccountTokenProjection } from '@coracle/api';
import type { Client } from '@coracle/client';

/** What is asked for, and given back with a token in its status. */
interface TokenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly audiences?: readonly string[];
    readonly expirationSeconds?: number;
    readonly boundObjectRef: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name?: string;
      readonly uid?: string;
    };
  };
  readonly status?: { readonly token?: string };
}

/** Asks for tokens of a pod's service account that are good for as long as the pod is there. */
export function tokenRequester(client: Client) {
  return async ({ metadata, spec }: Pod, projection: ServiceAccountTokenProjection): Promise<string> => {
    const { audience, expirationSeconds } = projection;
    const { name = '', uid = '', namespace = '' } = metadata;
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        ...(audience && { audiences: [audience] }),
        ...(expirationSeconds !== undefined && { expirationSeconds }),
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    };
    const accounts = client.resource(refs.serviceAccounts, namespace);
    const answer = await accounts.createSubresource(spec?.serviceAccountName ?? 'default', 'token', request);
    return (answer as TokenRequest).status?.token ?? '';
  };
}
