import {
  type CelAuthorizationRequest,
  type CelValue,
  celAuthorizer,
  celResourceCheck,
  type DecideCelAuthorization,
} from '@coracle/apimachinery';
import type { UserInfo } from '../../user-info.js';
import type { AdmissionAttributes } from '../admission.js';
import type { Decide } from './evaluate-expressions.js';

/** The CEL variables `authorizer` and `authorizer.requestResource`. */
export function authorizerVariables(
  decide: Decide,
  attributes: AdmissionAttributes,
): Readonly<Record<string, CelValue>> {
  const ask: DecideCelAuthorization = ({ serviceAccount, ...request }) => {
    const decision = decide({ ...questionOf(request), ...(serviceAccount && { user: userOf(serviceAccount) }) });
    return {
      allowed: decision.kind === 'allow',
      reason: decision.reason,
      ...(decision.kind === 'no-opinion' && decision.error && { error: decision.error }),
    };
  };
  const { requested, subresource, namespace, name } = attributes;
  const { group, resource } = requested.resource;
  return {
    authorizer: celAuthorizer(ask),
    'authorizer.requestResource': celResourceCheck(ask, { group, resource, subresource, namespace, name }),
  };
}

function questionOf({ labelSelector: _labels, ...request }: Omit<CelAuthorizationRequest, 'serviceAccount'>) {
  return request;
}

function userOf({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}
