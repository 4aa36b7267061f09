import { declare, type FunctionDeclaration, member, signature } from '../overload.js';
import { boolType, type CelType, opaqueType, stringType } from '../values/cel-type.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';

/** The type of the variable `authorizer`. */
export const authorizerType: CelType = opaqueType('kubernetes.authorization.Authorizer');
const pathCheckType = opaqueType('kubernetes.authorization.PathCheck');
const groupCheckType = opaqueType('kubernetes.authorization.GroupCheck');
/** The type of `authorizer.requestResource`. */
export const resourceCheckType: CelType = opaqueType('kubernetes.authorization.ResourceCheck');
const decisionType = opaqueType('kubernetes.authorization.Decision');

/** The authorization check of an expression. */
export interface CelAuthorizationRequest {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Asked about a service account instead of the user of the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface CelAuthorizationDecision {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

/** Answers at once. An implementation that must wait for an answer throws, gets it, and evaluates again. */
export type DecideCelAuthorization = (request: CelAuthorizationRequest) => CelAuthorizationDecision;

type Attributes = Omit<CelAuthorizationRequest, 'verb'>;

/** An authorizer, or a question to it that is not complete yet. */
class CelAuthorizationCheck extends CelOpaque {
  readonly type: CelType;
  readonly attributes: Attributes;
  readonly decide: DecideCelAuthorization;

  constructor(type: CelType, decide: DecideCelAuthorization, attributes: Attributes = {}) {
    super();
    this.type = type;
    this.decide = decide;
    this.attributes = attributes;
  }

  with(type: CelType, more: Attributes): CelAuthorizationCheck {
    return new CelAuthorizationCheck(type, this.decide, { ...this.attributes, ...more });
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

class CelDecision extends CelOpaque {
  readonly type: CelType = decisionType;
  readonly decision: CelAuthorizationDecision;

  constructor(decision: CelAuthorizationDecision) {
    super();
    this.decision = decision;
  }

  equals(other: CelOpaque): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function celAuthorizer(decide: DecideCelAuthorization): CelAuthorizationCheck {
  return new CelAuthorizationCheck(authorizerType, decide);
}

/** The value of `authorizer.requestResource`: the resource of the request. */
export function celResourceCheck(decide: DecideCelAuthorization, attributes: Attributes): CelAuthorizationCheck {
  return new CelAuthorizationCheck(resourceCheckType, decide, attributes);
}

/** A step that adds one attribute to a check. */
function step(name: string, types: readonly [from: CelType, to: CelType], id: string): FunctionDeclaration {
  const [from, to] = types;
  return declare(
    name,
    member(signature(id, [from, stringType], to), (check: CelAuthorizationCheck, value: string) =>
      check.with(to, { [name]: value }),
    ),
  );
}

function check(target: CelAuthorizationCheck, verb: string): CelDecision {
  return new CelDecision(target.decide({ ...target.attributes, verb }));
}

function serviceAccount(target: CelAuthorizationCheck, namespace: string, name: string): CelAuthorizationCheck {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace))
    return fail(`Invalid service account namespace: ${namespace}`);
  return target.with(authorizerType, { serviceAccount: { namespace, name } });
}

export const authorizerTypes: readonly CelType[] = [
  authorizerType,
  pathCheckType,
  groupCheckType,
  resourceCheckType,
  decisionType,
];

export const authorizerFunctions: readonly FunctionDeclaration[] = [
  step('path', [authorizerType, pathCheckType], 'authorizer_path'),
  step('group', [authorizerType, groupCheckType], 'authorizer_group'),
  step('resource', [groupCheckType, resourceCheckType], 'groupcheck_resource'),
  step('subresource', [resourceCheckType, resourceCheckType], 'resourcecheck_subresource'),
  step('namespace', [resourceCheckType, resourceCheckType], 'resourcecheck_namespace'),
  step('name', [resourceCheckType, resourceCheckType], 'resourcecheck_name'),
  step('fieldSelector', [resourceCheckType, resourceCheckType], 'authorizer_fieldselector'),
  step('labelSelector', [resourceCheckType, resourceCheckType], 'authorizer_labelselector'),
  declare(
    'serviceAccount',
    member(
      signature('authorizer_serviceaccount', [authorizerType, stringType, stringType], authorizerType),
      serviceAccount,
    ),
  ),
  declare(
    'check',
    member(signature('pathcheck_check', [pathCheckType, stringType], decisionType), check),
    member(signature('resourcecheck_check', [resourceCheckType, stringType], decisionType), check),
  ),
  declare(
    'allowed',
    member(signature('decision_allowed', [decisionType], boolType), ({ decision }: CelDecision) => decision.allowed),
  ),
  declare(
    'errored',
    member(
      signature('decision_errored', [decisionType], boolType),
      ({ decision }: CelDecision) => decision.error !== undefined,
    ),
  ),
  declare(
    'error',
    member(
      signature('decision_error', [decisionType], stringType),
      ({ decision }: CelDecision) => decision.error ?? '',
    ),
  ),
  declare(
    'reason',
    member(
      signature('decision_reason', [decisionType], stringType),
      ({ decision }: CelDecision) => decision.reason ?? '',
    ),
  ),
];
