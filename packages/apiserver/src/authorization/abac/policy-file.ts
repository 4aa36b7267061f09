/** What one line of a policy file allows. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly isReadonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

interface PolicySpec {
  readonly user?: string;
  readonly group?: string;
  readonly readonly?: boolean;
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly nonResourcePath?: string;
}

const apiVersion = 'abac.authorization.kubernetes.io/v1beta1';
const authenticated = 'system:authenticated';

/**
 * Parses policies, one JSON object per line. Empty lines and those that begin with `#` are ignored. Throws for an
 * invalid line, with its number.
 */
export function parsePolicies(text: string): AbacPolicy[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [parsePolicy(JSON.parse(trimmed))];
    } catch (error) {
      throw new Error(`error reading policy file, line ${index + 1}: ${trimmed}: ${(error as Error).message}`);
    }
  });
}

function parsePolicy(value: unknown): AbacPolicy {
  if (typeof value !== 'object' || value === null) throw new Error('a policy must be an object');
  const policy = value as { apiVersion?: string; kind?: string; spec?: PolicySpec } & PolicySpec;
  if (policy.apiVersion === undefined && policy.kind === undefined) return fromUnversioned(policy);
  if (policy.apiVersion !== apiVersion || policy.kind !== 'Policy')
    throw new Error(
      `no kind ${JSON.stringify(policy.kind ?? '')} is known for version ${JSON.stringify(policy.apiVersion ?? '')}`,
    );
  return completed(policy.spec ?? {});
}

/** Before policies had versions, what was left out stood for everything. */
function fromUnversioned(spec: PolicySpec): AbacPolicy {
  const { user = '', group = '', namespace = '', resource = '' } = spec;
  const isAboutAll = namespace === '' && resource === '';
  return completed({
    ...spec,
    ...(user === '' && group === '' && { group: authenticated }),
    namespace: namespace || '*',
    resource: resource || '*',
    apiGroup: '*',
    ...(isAboutAll && { nonResourcePath: '*' }),
  });
}

/** An asterisk matches all authenticated users, not unauthenticated ones. */
function completed(spec: PolicySpec): AbacPolicy {
  const { user = '', group = '' } = spec;
  return {
    user,
    group: user === '*' || group === '*' ? authenticated : group,
    isReadonly: spec.readonly ?? false,
    apiGroup: spec.apiGroup ?? '',
    resource: spec.resource ?? '',
    namespace: spec.namespace ?? '',
    nonResourcePath: spec.nonResourcePath ?? '',
  };
}
