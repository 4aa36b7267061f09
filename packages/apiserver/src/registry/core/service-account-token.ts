import { type authenticationv1, refs, type ServiceAccount } from '@coracle/api';
import {
  badRequest,
  conflict,
  formatTime,
  invalid,
  invalidField,
  type KubeObject,
  notFound,
  type ResourceRef,
} from '@coracle/apimachinery';
import { randomUuid } from '@coracle/base';
import {
  type BoundObject,
  type ServiceAccountClaims,
  serviceAccountUserName,
} from '../../authentication/tokens/service-account-claims.js';
import type { TokenSigner } from '../../authentication/tokens/token-signer.js';
import type { Needs } from '../../server-parts.js';
import type { SubresourceHandler } from '../subresource.js';
import { trackReview } from '../track-review.js';

export interface TokenRequestOptions {
  readonly signer: TokenSigner;
  /** The audiences of a token if the request has none. */
  readonly audiences: readonly string[];
  readonly maxSeconds?: number;
}

const leastSeconds = 10 * 60;
const mostSeconds = 2 ** 32;
/** A token for a pod is valid for a year, with a warning after an hour, for programs that never read it again. */
const podTokenSeconds = 3607;
const extendedSeconds = 365 * 24 * 60 * 60;

/** `serviceaccounts/x/token`: a signed token, bound to the account and, on request, to a pod, a node or a secret. */
export function serviceAccountTokenRequest(options: TokenRequestOptions): SubresourceHandler {
  return {
    async create(call, body) {
      const { parts, write } = call;
      const request = body as authenticationv1.TokenRequest;
      const account = await parts.objects.getFresh(refs.serviceAccounts, write.namespace, write.name);
      if (!account) throw notFound({ group: '', resource: 'serviceaccounts' }, write.name);
      checkName(request, write.name);
      check(request, write.name);
      const bound = await boundObjects(request, account, parts);
      const claims = makeClaims({ request, account, bound, parts, options });
      const token = await options.signer.sign(claims);
      const expirationTimestamp = formatTime(claims.exp * 1000);
      const { metadata: reviewMetadata } = trackReview(call, request);
      const metadata = {
        ...reviewMetadata,
        name: reviewMetadata.name ?? write.name,
        namespace: reviewMetadata.namespace ?? write.namespace,
        creationTimestamp: formatTime(parts.clock.now()),
      };
      const spec = { ...request.spec, audiences: [...claims.aud] };
      return {
        object: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata,
          spec,
          status: { token, expirationTimestamp },
        },
      };
    },
  };
}

function checkName({ metadata }: authenticationv1.TokenRequest, name: string): void {
  if (!metadata?.name || metadata.name === name) return;
  const error = invalidField('metadata.name', metadata.name, 'must match the service account name if specified');
  throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, [error]);
}

function check({ spec }: authenticationv1.TokenRequest, name: string): void {
  const seconds = spec?.expirationSeconds ?? 3600;
  const field = 'spec.expirationSeconds';
  const errors = [
    ...(seconds < leastSeconds
      ? [invalidField(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > mostSeconds
      ? [invalidField(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
  ];
  if (errors.length > 0) throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, name, errors);
}

interface Bound {
  readonly pod?: BoundObject;
  readonly node?: BoundObject;
  readonly secret?: BoundObject;
}

async function boundObjects(
  { spec }: authenticationv1.TokenRequest,
  account: ServiceAccount,
  parts: Needs<'objects'>,
): Promise<Bound> {
  const reference = spec?.boundObjectRef;
  if (!reference) return {};
  const { kind = '', name = '', uid } = reference;
  const namespace = account.metadata.namespace ?? '';
  const find = async <T extends KubeObject>(ref: ResourceRef<T>, where: string) => {
    const object = await parts.objects.getFresh(ref, where, name);
    if (!object) throw notFound({ group: '', resource: ref.resource }, name);
    if (uid && object.metadata.uid !== uid) {
      throw conflict(
        { group: '', resource: ref.resource },
        name,
        `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    }
    return { object, bound: { name, uid: object.metadata.uid ?? '' } };
  };
  if (kind === 'Pod') {
    const { object: pod, bound } = await find(refs.pods, namespace);
    if (pod.spec?.serviceAccountName !== account.metadata.name)
      throw badRequest(
        `cannot bind token for serviceaccount ${JSON.stringify(account.metadata.name)} to pod running with different serviceaccount name.`,
      );
    const node = pod.spec?.nodeName ? parts.objects.get(refs.nodes, '', pod.spec.nodeName) : undefined;
    return { pod: bound, ...(node && { node: { name: node.metadata.name ?? '', uid: node.metadata.uid ?? '' } }) };
  }
  if (kind === 'Node') return { node: (await find(refs.nodes, '')).bound };
  if (kind === 'Secret') return { secret: (await find(refs.secrets, namespace)).bound };
  throw badRequest(`cannot bind token to object of type ${kind}`);
}

interface ClaimInput {
  readonly request: authenticationv1.TokenRequest;
  readonly account: ServiceAccount;
  readonly bound: Bound;
  readonly parts: Needs<'clock' | 'random'>;
  readonly options: TokenRequestOptions;
}

function makeClaims({ request, account, bound, parts, options }: ClaimInput): ServiceAccountClaims {
  const now = Math.floor(parts.clock.now() / 1000);
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const seconds = Math.min(request.spec?.expirationSeconds ?? 3600, options.maxSeconds ?? mostSeconds);
  const audiences = request.spec?.audiences?.length ? request.spec.audiences : options.audiences;
  const extend =
    bound.pod !== undefined &&
    seconds === podTokenSeconds &&
    audiences.every((audience) => options.audiences.includes(audience));
  return {
    aud: audiences,
    exp: now + (extend ? extendedSeconds : seconds),
    iat: now,
    iss: options.signer.issuer,
    jti: randomUuid(parts.random),
    'kubernetes.io': {
      namespace,
      ...bound,
      serviceaccount: { name, uid },
      ...(extend && { warnafter: now + seconds }),
    },
    nbf: now,
    sub: serviceAccountUserName(namespace, name),
  };
}
