import type { admissionregistrationv1 } from '@coracle/api';
import { type KubeObject, type ResourceRef, toBase64 } from '@coracle/apimachinery';
import { webhookPath } from './webhook-builder.js';

/** Rules and client configuration of a webhook. */
export interface WebhookManifestOptions {
  /** The address of the webhooks: a service in the cluster, or a base URL from outside. */
  readonly at:
    | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
    | { readonly url: string };
  /** The certificate, as PEM, that signed the one they serve with. */
  readonly caBundle: string;
  readonly operations?: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
}

/** The configuration that registers `/mutate-…` for a resource. */
export function mutatingWebhookManifest(
  ref: ResourceRef<KubeObject>,
  options: WebhookManifestOptions,
): admissionregistrationv1.MutatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: `mutate.${ref.resource}.${ref.group}` },
    webhooks: [webhookOf('mutate', ref, options)],
  };
}

/** The same for `/validate-…`. */
export function validatingWebhookManifest(
  ref: ResourceRef<KubeObject>,
  options: WebhookManifestOptions,
): admissionregistrationv1.ValidatingWebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: `validate.${ref.resource}.${ref.group}` },
    webhooks: [webhookOf('validate', ref, options)],
  };
}

function webhookOf(action: 'mutate' | 'validate', ref: ResourceRef<KubeObject>, options: WebhookManifestOptions) {
  const { operations = ['CREATE', 'UPDATE'], failurePolicy = 'Fail', at, caBundle } = options;
  const path = webhookPath(action, ref);
  const target = 'url' in at ? { url: at.url.replace(/\/$/, '') + path } : { service: { ...at.service, path } };
  return {
    name: `${action}.${ref.kind.toLowerCase()}.${ref.group}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy,
    clientConfig: { ...target, caBundle: toBase64(new TextEncoder().encode(caBundle)) },
    rules: [
      {
        apiGroups: [ref.group],
        apiVersions: [ref.version],
        operations: [...operations],
        resources: [ref.resource],
      },
    ],
  };
}
