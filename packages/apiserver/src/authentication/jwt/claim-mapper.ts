import { CelEnvironment, type CelProgram, dynType, fromJson, mapType, stringType, toJson } from '@coracle/apimachinery';
import type { UserInfo } from '../../user-info.js';
import { badToken } from '../bearer-token.js';
import type { ClaimOrExpression, ClaimRule, JwtConfig, PrefixedClaim } from './jwt-config.js';

export type Claims = Readonly<Record<string, unknown>>;

/** Turns the claims of a token that is genuine into a user, or refuses them. Expressions are compiled once. */
export function claimMapper(config: JwtConfig): (claims: Claims) => UserInfo {
  const { claimMappings, claimValidationRules = [], userValidationRules = [] } = config;
  const claimsEnvironment = new CelEnvironment({ variables: { claims: mapType(stringType, dynType) } });
  const userEnvironment = new CelEnvironment({ variables: { user: dynType } });
  const onClaims = (expression: string) => {
    const program = claimsEnvironment.compile(expression);
    return (claims: Claims) => evaluate(program, { claims });
  };
  const rules = claimValidationRules.map((rule) => claimRule(rule, onClaims));
  const name = textOf(claimMappings.username, onClaims);
  const groups = claimMappings.groups && listOf(claimMappings.groups, onClaims);
  const uid = claimMappings.uid && textOf(claimMappings.uid, onClaims);
  const extra = (claimMappings.extra ?? []).map(({ key, valueExpression }) => ({
    key,
    value: onClaims(valueExpression),
  }));
  const userRules = userValidationRules.map(({ expression, message }) => {
    const program = userEnvironment.compile(expression);
    return (user: object) => {
      if (evaluate(program, { user }) !== true)
        throw badToken(
          `oidc: error evaluating user info validation rule: ${message ?? `validation expression '${expression}' failed`}`,
        );
    };
  });
  checkVerifiedEmail(config);
  return (claims) => {
    for (const check of rules) check(claims);
    const mapped = extra.flatMap(({ key, value }) => {
      const values = asList(value(claims));
      return values.length > 0 ? [[key, values] as const] : [];
    });
    const user: UserInfo = {
      name: requireName(name(claims), claims, claimMappings.username),
      ...(uid && { uid: uid(claims) }),
      groups: groups?.(claims) ?? [],
      ...(mapped.length > 0 && { extra: Object.fromEntries(mapped) }),
    };
    const view = { username: user.name, uid: user.uid ?? '', groups: user.groups, extra: user.extra ?? {} };
    for (const check of userRules) check(view);
    return user;
  };
}

function evaluate(program: CelProgram, variables: Readonly<Record<string, unknown>>): unknown {
  const values = Object.entries(variables).map(([name, value]) => [name, fromJson(value)] as const);
  const outcome = program.run(Object.fromEntries(values));
  if (outcome.error) throw badToken(`oidc: error evaluating expression: ${outcome.error.message}`);
  return toJson(outcome.value);
}

type OnClaims = (expression: string) => (claims: Claims) => unknown;

function claimRule({ claim, requiredValue = '', expression, message }: ClaimRule, onClaims: OnClaims) {
  if (expression !== undefined) {
    const run = onClaims(expression);
    return (claims: Claims) => {
      if (run(claims) !== true)
        throw badToken(
          `oidc: error evaluating claim validation expression: ${message ?? `validation expression '${expression}' failed`}`,
        );
    };
  }
  return (claims: Claims) => {
    const value = claimOf(claims, claim ?? '');
    if (value === undefined) throw badToken(`oidc: required claim ${claim} not present in ID token`);
    if (value !== requiredValue)
      throw badToken(
        `oidc: required claim ${claim} value does not match. Got = ${String(value)}, want = ${requiredValue}`,
      );
  };
}

/** Never an inherited property, such as `constructor`. */
function claimOf(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

function textOf({ claim, expression, prefix = '' }: PrefixedClaim, onClaims: OnClaims): (claims: Claims) => string {
  const read = expression === undefined ? (claims: Claims) => claimOf(claims, claim ?? '') : onClaims(expression);
  return (claims) => {
    const value = read(claims);
    if (typeof value !== 'string')
      throw badToken(`oidc: parse username claims ${JSON.stringify(claim ?? expression)}: claim not present`);
    return value === '' ? '' : prefix + value;
  };
}

/** A name alone is a group too. */
function listOf({ claim, expression, prefix = '' }: PrefixedClaim, onClaims: OnClaims): (claims: Claims) => string[] {
  const read = expression === undefined ? (claims: Claims) => claimOf(claims, claim ?? '') : onClaims(expression);
  return (claims) => asList(read(claims)).map((group) => prefix + group);
}

function asList(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw badToken('oidc: a claim that should hold texts holds something else');
  return value.filter((one) => one !== '');
}

/** An email address that is not verified is no user name. */
function requireName(name: string, claims: Claims, { claim, expression }: ClaimOrExpression): string {
  if (name === '') throw badToken('oidc: username claim is empty');
  if (claim === 'email' && expression === undefined && claimOf(claims, 'email_verified') !== undefined) {
    if (claims['email_verified'] !== true) throw badToken('oidc: email not verified');
  }
  return name;
}

/** A configuration that takes addresses from an expression must look at whether they are verified. */
function checkVerifiedEmail({ claimMappings, claimValidationRules = [] }: JwtConfig): void {
  const { expression = '' } = claimMappings.username;
  if (!/\bclaims\.email\b/.test(expression)) return;
  const all = [
    expression,
    ...(claimMappings.extra ?? []).map(({ valueExpression }) => valueExpression),
    ...claimValidationRules.map((rule) => rule.expression ?? ''),
  ];
  if (!all.some((one) => one.includes('email_verified')))
    throw new Error(
      'claimMappings.username.expression: Invalid value: claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
    );
}
