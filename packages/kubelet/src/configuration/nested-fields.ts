import { defaultSettings } from '../settings.js';
import { duration, flag, objectOf, oneOf, type Read, text } from './field-readers.js';

const { authentication, authorization, crashLoopBackOff } = defaultSettings;

/** A duration of 0 means the default, as in files that kubeadm writes. */
const durationOr =
  (usual: number): Read =>
  (value, field) =>
    duration(value, field) || usual;

const readParts = objectOf(
  { ...authentication, x509: { clientCAFile: '' } },
  {
    anonymous: objectOf(authentication.anonymous, { enabled: flag }),
    webhook: objectOf(authentication.webhook, { enabled: flag, cacheTTL: durationOr(authentication.webhook.cacheTTL) }),
    x509: objectOf({ clientCAFile: '' }, { clientCAFile: text }),
  },
);

/** The fields of `authentication` except the CA bundle, which is a file. */
export const readAuthentication: Read = (value, field) => {
  const { x509: _, ...rest } = readParts(value, field) as typeof authentication & { readonly x509: object };
  return rest;
};

/** File name of the CA bundle for client certificates. Throws if the field is invalid. */
export function clientCaFileOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { x509 } = readParts(value, 'authentication') as { readonly x509: { readonly clientCAFile: string } };
  return x509.clientCAFile || undefined;
}

const { webhook } = authorization;

export const readAuthorization: Read = objectOf(authorization, {
  mode: oneOf('AlwaysAllow', 'Webhook'),
  webhook: objectOf(webhook, {
    cacheAuthorizedTTL: durationOr(webhook.cacheAuthorizedTTL),
    cacheUnauthorizedTTL: durationOr(webhook.cacheUnauthorizedTTL),
  }),
});

const shortestMs = 1_000;
const longestMs = 300_000;

export const readCrashLoopBackOff: Read = objectOf(crashLoopBackOff, {
  maxContainerRestartPeriod: (value, field) => {
    const period = duration(value, field) as number;
    if (period >= shortestMs && period <= longestMs) return period;
    throw new Error(`${field}: must be between 1s and 5m0s`);
  },
});
