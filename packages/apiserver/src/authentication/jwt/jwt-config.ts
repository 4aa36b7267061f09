import { isRecord } from '@coracle/base';

/** A `JWTAuthenticator` of `AuthenticationConfiguration`. */
export interface JwtConfig {
  readonly issuer: {
    readonly url: string;
    /** Where the discovery document is, if not below the issuer. */
    readonly discoveryURL?: string;
    /** PEM. */
    readonly certificateAuthority?: string;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy?: 'MatchAny' | '';
  };
  readonly claimValidationRules?: readonly ClaimRule[];
  readonly claimMappings: {
    readonly username: PrefixedClaim;
    readonly groups?: PrefixedClaim;
    readonly uid?: ClaimOrExpression;
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
}

export interface ClaimOrExpression {
  readonly claim?: string;
  readonly expression?: string;
}

export interface PrefixedClaim extends ClaimOrExpression {
  readonly prefix?: string;
}

export interface ClaimRule extends ClaimOrExpression {
  readonly requiredValue?: string;
  readonly message?: string;
}

/** All that cannot be meant so, by its path. */
export function jwtProblems(value: unknown, path: string, disallowedIssuers: readonly string[]): string[] {
  const { issuer, claimMappings } = isRecord(value) ? value : {};
  return [
    ...issuerProblems(issuer, `${path}.issuer`, disallowedIssuers),
    ...mappingProblems(claimMappings, `${path}.claimMappings`),
    ...unknown(value, path, ['issuer', 'claimValidationRules', 'claimMappings', 'userValidationRules']),
  ];
}

function issuerProblems(issuer: unknown, path: string, disallowed: readonly string[]): string[] {
  const { url, discoveryURL, audiences, audienceMatchPolicy } = isRecord(issuer) ? issuer : {};
  const problems = unknown(issuer, path, [
    'url',
    'discoveryURL',
    'certificateAuthority',
    'audiences',
    'audienceMatchPolicy',
    'egressSelectorType',
  ]);
  if (typeof url !== 'string' || url === '') problems.push(`${path}.url: Required value: URL is required`);
  else if (!url.startsWith('https://'))
    problems.push(`${path}.url: Invalid value: ${JSON.stringify(url)}: URL scheme must be https`);
  else if (disallowed.includes(url))
    problems.push(
      `${path}.url: Invalid value: ${JSON.stringify(url)}: URL must not overlap with disallowed issuers: [${disallowed.join(' ')}]`,
    );
  if (typeof discoveryURL === 'string' && discoveryURL !== '' && !discoveryURL.startsWith('https://'))
    problems.push(`${path}.discoveryURL: Invalid value: ${JSON.stringify(discoveryURL)}: URL scheme must be https`);
  if (!Array.isArray(audiences) || audiences.length === 0)
    problems.push(`${path}.audiences: Required value: at least one issuer.audiences is required`);
  else if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    problems.push(
      `${path}.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences`,
    );
  return problems;
}

function mappingProblems(mappings: unknown, path: string): string[] {
  const { username, groups } = isRecord(mappings) ? mappings : {};
  const problems = unknown(mappings, path, ['username', 'groups', 'uid', 'extra']);
  if (!isRecord(username) || (!username['claim'] && !username['expression']))
    problems.push(`${path}.username: Required value: claim or expression is required`);
  for (const [name, mapping] of Object.entries({ username, groups })) {
    if (!isRecord(mapping)) continue;
    const { claim, expression, prefix } = mapping;
    if (claim && expression)
      problems.push(`${path}.${name}: Invalid value: "": claim and expression can't both be set`);
    if (claim && prefix === undefined)
      problems.push(
        `${path}.${name}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      );
    if (expression && prefix !== undefined)
      problems.push(
        `${path}.${name}.prefix: Invalid value: ${JSON.stringify(prefix)}: prefix cannot be set when expression is set`,
      );
  }
  return problems;
}

function unknown(value: unknown, path: string, allowed: readonly string[]): string[] {
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .filter((field) => !allowed.includes(field))
    .map((field) => `${path}: unknown field ${JSON.stringify(field)}`);
}
