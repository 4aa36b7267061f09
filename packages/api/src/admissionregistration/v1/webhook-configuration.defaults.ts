import type {
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../generated/types/admissionregistration-v1.js';

export function setValidatingWebhookDefaults({ webhooks }: ValidatingWebhookConfiguration): void {
  for (const webhook of webhooks ?? []) setWebhookDefaults(webhook);
}

export function setMutatingWebhookDefaults({ webhooks }: MutatingWebhookConfiguration): void {
  for (const webhook of webhooks ?? []) {
    setWebhookDefaults(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  }
}

function setWebhookDefaults(webhook: ValidatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443;
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
}
