import type { ServiceAccount } from '@coracle/api';
import type { Strategy } from '../strategy.js';

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets';

/** Only the names of the secrets are stored. */
export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,

  warningsOnCreate: ({ metadata }) => (isEnforced(metadata.annotations) ? [deprecation] : []),
  warningsOnUpdate: ({ metadata }, previous) =>
    isEnforced(metadata.annotations) && !isEnforced(previous.metadata.annotations) ? [deprecation] : [],
};

const deprecation = `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

function isEnforced(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return annotations?.[mountableSecrets] !== undefined;
}

function keepSecretNames(account: ServiceAccount): void {
  const { secrets } = account;
  if (secrets) account.secrets = secrets.map(({ name }) => (name ? { name } : {}));
}
