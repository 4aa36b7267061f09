import type { TablePrinter } from '@coracle/apimachinery';
import { unset } from '../../columns/cell-text.js';
import { age, type Column, integer, name, tablePrinter, text } from '../../columns/table-printer.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../generated/types/admissionregistration-v1.js';
import type { LabelSelector } from '../../generated/types/meta-v1.js';

const webhooksPrinter = tablePrinter<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>([
  name,
  integer('Webhooks', 'How many webhooks it has.', ({ webhooks }) => webhooks?.length ?? 0),
  age,
]);

const paramKind: Column<MutatingAdmissionPolicy | ValidatingAdmissionPolicy> = text(
  'ParamKind',
  'The kind of its parameters.',
  ({ spec }) => (spec?.paramKind ? `${spec.paramKind.apiVersion}/${spec.paramKind.kind}` : unset),
);

const validatingPolicyPrinter = tablePrinter<ValidatingAdmissionPolicy>([
  name,
  integer('Validations', 'How many validations it has.', ({ spec }) => spec?.validations?.length ?? 0),
  paramKind,
  age,
]);

const mutatingPolicyPrinter = tablePrinter<MutatingAdmissionPolicy>([
  name,
  integer('Mutations', 'How many mutations it has.', ({ spec }) => spec?.mutations?.length ?? 0),
  paramKind,
  age,
]);

const policyBindingPrinter = tablePrinter<MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding>([
  name,
  text('PolicyName', 'The policy that is bound.', ({ spec }) => spec?.policyName ?? ''),
  text('ParamRef', 'The parameters of the policy.', ({ spec }) => formatParamRef(spec?.paramRef)),
  age,
]);

/** The scope of the parameters is not known here, so without a namespace any is allowed. */
function formatParamRef(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? formatGoSelector(reference.selector) : unset;
}

/** A selector as Go prints the message, which is what clients of upstream see here. */
function formatGoSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels).sort();
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = labels.map((label) => `${label}: ${matchLabels[label]},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${map}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

export const printers: Readonly<Record<string, TablePrinter>> = {
  MutatingAdmissionPolicy: mutatingPolicyPrinter,
  MutatingAdmissionPolicyBinding: policyBindingPrinter,
  MutatingWebhookConfiguration: webhooksPrinter,
  ValidatingAdmissionPolicy: validatingPolicyPrinter,
  ValidatingAdmissionPolicyBinding: policyBindingPrinter,
  ValidatingWebhookConfiguration: webhooksPrinter,
};
