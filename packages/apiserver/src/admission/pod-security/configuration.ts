import {
  aggregate,
  duplicateField,
  type FieldError,
  FieldPath,
  formatFieldError,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
} from '@coracle/apimachinery';
import { checkPolicyLabels, labelPrefix } from './policy.js';

/** A `PodSecurityConfiguration`: the defaults for namespaces without labels, and the exemptions. */
export interface PodSecurityConfig {
  /** By the last part of the labels: `enforce`, `enforce-version`, … */
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: {
    readonly usernames?: readonly string[];
    readonly namespaces?: readonly string[];
    readonly runtimeClasses?: readonly string[];
  };
}

/** The defaults of a namespace without labels. */
export function defaultLabels({ defaults = {} }: PodSecurityConfig): Record<string, string> {
  return Object.fromEntries(Object.entries(defaults).map(([key, value]) => [`${labelPrefix}${key}`, value]));
}

/** Throws an error with all problems. */
export function checkConfiguration(config: PodSecurityConfig): void {
  const { usernames, namespaces, runtimeClasses } = config.exemptions ?? {};
  const path = FieldPath.of('exemptions');
  const notEmpty = (name: string) => (name === '' ? ['username must not be empty'] : []);
  const errors = [
    ...checkPolicyLabels(defaultLabels(config), (label) => FieldPath.of('defaults', label.slice(labelPrefix.length))),
    ...checkNames(path.child('namespaces'), namespaces, isDns1123Label),
    ...checkNames(path.child('runtimeClasses'), runtimeClasses, isDns1123Subdomain),
    ...checkNames(path.child('usernames'), usernames, notEmpty),
  ];
  if (errors.length > 0) throw new Error(`PodSecurity: ${aggregate(errors.map(formatFieldError))}`);
}

function checkNames(
  path: FieldPath,
  names: readonly string[] = [],
  check: (name: string) => readonly string[],
): FieldError[] {
  return names.flatMap((name, index) => {
    const problems = check(name);
    if (problems.length > 0) return [invalidField(path.index(index), name, problems.join(', '))];
    return names.indexOf(name) < index ? [duplicateField(path.index(index), name)] : [];
  });
}
