import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1035Label,
  isDns1123Subdomain,
  requiredField,
  scoped,
  validateLabelSelector,
} from '@coracle/apimachinery';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../generated/types/admissionregistration-v1.js';
import { checkSupported } from '../../validation/field-checks.js';
import { checkWebhookClient } from '../../validation/webhook-client.js';
import { checkMatchConditions } from './match-conditions.validation.js';
import { checkRuleWithOperations } from './rules-with-operations.validation.js';

const reviewVersions = ['v1', 'v1beta1'];
const sideEffects = ['None', 'NoneOnDryRun'];
const maxTimeoutSeconds = 30;

export function validateWebhookConfiguration(
  configuration: ValidatingWebhookConfiguration | MutatingWebhookConfiguration,
): FieldError[] {
  const names = new Set<string>();
  return (configuration.webhooks ?? []).flatMap((webhook, index) => {
    const path = FieldPath.of('webhooks').index(index);
    const errors = [
      ...checkWebhook(path, webhook),
      ...scoped(checkReviewVersions(path.child('admissionReviewVersions'), webhook.admissionReviewVersions ?? []), {
        newRule: 'versions of reviews',
      }),
    ];
    if (webhook.name && names.has(webhook.name)) {
      errors.push(
        ...scoped([duplicateField(path.child('name'), webhook.name)], { newRule: 'unique names of webhooks' }),
      );
    }
    names.add(webhook.name);
    return errors;
  });
}

function checkWebhook(path: FieldPath, webhook: ValidatingWebhook | MutatingWebhook): FieldError[] {
  const { failurePolicy, matchPolicy, rules = [], matchConditions = [] } = webhook;
  const reinvocation = 'reinvocationPolicy' in webhook ? webhook.reinvocationPolicy : undefined;
  return [
    ...checkFullName(path.child('name'), webhook.name),
    ...rules.flatMap((rule, index) => checkRuleWithOperations(path.child('rules').index(index), rule)),
    ...checkGiven(path.child('failurePolicy'), failurePolicy, ['Fail', 'Ignore']),
    ...checkGiven(path.child('matchPolicy'), matchPolicy, ['Equivalent', 'Exact']),
    ...scoped(checkSideEffects(path.child('sideEffects'), webhook.sideEffects), {
      newRule: 'side effects of webhooks',
    }),
    ...checkTimeout(path.child('timeoutSeconds'), webhook.timeoutSeconds),
    ...validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector')),
    ...validateLabelSelector(webhook.objectSelector, path.child('objectSelector')),
    ...checkGiven(path.child('reinvocationPolicy'), reinvocation, ['IfNeeded', 'Never']),
    ...checkWebhookClient(path.child('clientConfig'), webhook.clientConfig ?? {}),
    ...checkMatchConditions(path.child('matchConditions'), matchConditions),
  ];
}

function checkGiven(path: FieldPath, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === undefined ? [] : checkSupported(path, value, supported);
}

/** Names of webhooks are fully qualified: they end with a domain of at least two segments. */
function checkFullName(path: FieldPath, name: string): FieldError[] {
  if (!name) return [requiredField(path)];
  const problems = isDns1123Subdomain(name);
  if (problems.length === 0 && name.split('.').length < 3) {
    problems.push('should be a domain with at least three segments separated by dots');
  }
  return problems.map((problem) => invalidField(path, name, problem));
}

function checkSideEffects(path: FieldPath, value: string | undefined): FieldError[] {
  if (value == null) return [requiredField(path, `must specify one of ${sideEffects.join(', ')}`)];
  return checkSupported(path, value, sideEffects);
}

function checkTimeout(path: FieldPath, seconds: number | undefined): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= maxTimeoutSeconds)) return [];
  return [invalidField(path, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function checkReviewVersions(path: FieldPath, versions: readonly string[]): FieldError[] {
  const accepted = reviewVersions.join(', ');
  if (versions.length === 0) return [requiredField(path, `must specify one of ${accepted}`)];
  const errors = versions.flatMap((version, index) => {
    const problems = versions.indexOf(version) < index ? ['duplicate version'] : isDns1035Label(version);
    return problems.map((problem) => invalidField(path.index(index), version, problem));
  });
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalidField(path, versions, `must include at least one of ${accepted}`));
  }
  return errors;
}
