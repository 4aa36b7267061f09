import { isRecord } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';
import type { UserInfo } from '../user-info.js';
import type { AuditLevel, AuditStage } from './audit-event.js';

/** A `Policy` of `audit.k8s.io/v1`. */
export interface AuditPolicy {
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
  readonly rules: readonly AuditRule[];
}

export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What is recorded of one request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Decides by the first rule that matches; without one nothing is recorded. */
export function auditDecider(policy: AuditPolicy): (user: UserInfo, info: RequestInfo) => AuditDecision {
  const rules = policy.rules.map((rule) => ({
    conditions: conditionsOf(rule),
    decision: {
      level: rule.level,
      omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  }));
  const none: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };
  return (user, info) => {
    for (const { conditions, decision } of rules) if (conditions.every((holds) => holds(user, info))) return decision;
    return none;
  };
}

type Condition = (user: UserInfo, info: RequestInfo) => boolean;

/** The conditions of a rule; a condition that is not set matches everything. */
function conditionsOf(rule: AuditRule): readonly Condition[] {
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  const conditions: Condition[] = [];
  if (users.length > 0) conditions.push((user) => users.includes(user.name));
  if (userGroups.length > 0) conditions.push((user) => user.groups.some((group) => userGroups.includes(group)));
  if (verbs.length > 0) conditions.push((_user, { verb }) => verbs.includes(verb));
  if (nonResourceURLs.length > 0)
    conditions.push(
      (_user, { isResourceRequest, path }) =>
        !isResourceRequest && nonResourceURLs.some((pattern) => matchesPath(pattern, path)),
    );
  if (namespaces.length > 0)
    conditions.push((_user, { isResourceRequest, namespace }) => isResourceRequest && namespaces.includes(namespace));
  if (resources.length > 0)
    conditions.push((_user, info) => info.isResourceRequest && resources.some((one) => matchesResource(one, info)));
  return conditions;
}

function matchesPath(pattern: string, path: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}

function matchesResource(
  { group = '', resources = [], resourceNames = [] }: GroupResources,
  info: RequestInfo,
): boolean {
  if (group !== info.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const { resource, subresource } = info;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (one) =>
      one === '*' || one === full || (subresource !== '' && (one === `${resource}/*` || one === `*/${subresource}`)),
  );
}

const levelNames: ReadonlySet<unknown> = new Set(['None', 'Metadata', 'Request', 'RequestResponse']);
const stageNames: ReadonlySet<unknown> = new Set(['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']);
const policyFields = new Set(['apiVersion', 'kind', 'metadata', 'omitStages', 'omitManagedFields', 'rules']);
const ruleFields = new Set([
  'level',
  'users',
  'userGroups',
  'verbs',
  'resources',
  'namespaces',
  'nonResourceURLs',
  'omitStages',
  'omitManagedFields',
]);
const resourceFields = new Set(['group', 'resources', 'resourceNames']);

/**
 * Reads a policy file that has been parsed. Rejects anything invalid, so that no administrator relies on a log that is
 * not written.
 */
export function parseAuditPolicy(value: unknown): AuditPolicy {
  const { apiVersion, kind, rules, omitStages } = isRecord(value) ? value : {};
  if (kind !== 'Policy' || apiVersion !== 'audit.k8s.io/v1') throw new Error('expected a Policy of audit.k8s.io/v1');
  const problems = [...unknownFields('', value, policyFields), ...badStages('omitStages', omitStages)];
  if (!Array.isArray(rules) || rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  rules.forEach((rule: unknown, i) => {
    problems.push(...ruleProblems(`rules[${i}]`, rule));
  });
  if (problems.length > 0) throw new Error(problems.join(', '));
  return value as AuditPolicy;
}

function ruleProblems(path: string, rule: unknown): string[] {
  if (!isRecord(rule)) return [`${path}: Invalid value: must be an object`];
  const problems = [...unknownFields(path, rule, ruleFields), ...badStages(`${path}.omitStages`, rule['omitStages'])];
  const { level, nonResourceURLs, resources, namespaces } = rule;
  if (!levelNames.has(level))
    problems.push(
      level === undefined
        ? `${path}.level: Required value`
        : `${path}.level: Unsupported value: ${JSON.stringify(level)}: supported values: "Metadata", "None", "Request", "RequestResponse"`,
    );
  if (isFilled(nonResourceURLs) && (isFilled(resources) || isFilled(namespaces)))
    problems.push(
      `${path}.nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`,
    );
  const groups = Array.isArray(resources) ? (resources as readonly unknown[]) : [];
  groups.forEach((one, i) => {
    problems.push(...unknownFields(`${path}.resources[${i}]`, one, resourceFields));
  });
  return problems;
}

function isFilled(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

function badStages(path: string, stages: unknown): string[] {
  const list = Array.isArray(stages) ? (stages as readonly unknown[]) : [];
  return list
    .filter((stage) => !stageNames.has(stage))
    .map(
      (stage) => `${path}: Invalid value: ${JSON.stringify(stage)}: allowed stages are ${[...stageNames].join(', ')}`,
    );
}

function unknownFields(path: string, value: unknown, allowed: ReadonlySet<string>): string[] {
  if (!isRecord(value)) return [];
  return Object.keys(value)
    .filter((field) => !allowed.has(field))
    .map((field) => `unknown field ${JSON.stringify(path === '' ? field : `${path}.${field}`)}`);
}
