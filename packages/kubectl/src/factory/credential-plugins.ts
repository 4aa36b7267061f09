import { CommandError } from '../command/command-error.js';
import { type Fields, recordsAt, textAt } from '../values.js';

const policies = ['AllowAll', 'DenyAll', 'Allowlist'] as const;

/** Which programs may be run for credentials. */
export interface CredentialPluginPolicy {
  readonly policy: (typeof policies)[number];
  /** Commands, by name or path. */
  readonly allowed: readonly string[];
}

/** The policy of a kuberc file; `undefined` if it has none. */
export function readCredentialPluginPolicy(document: Fields): CredentialPluginPolicy | undefined {
  const policyName = textAt(document, 'credentialPluginPolicy');
  const entries = recordsAt(document, 'credentialPluginAllowlist');
  const allowed = entries.map((entry) => textAt(entry, 'command') || textAt(entry, 'name'));
  if (policyName === '' && allowed.length === 0) return undefined;
  const policy = policies.find((one) => one === policyName);
  if (!policy) throw new CommandError(`invalid credential plugin policy: ${JSON.stringify(policyName)}`);
  if (policy !== 'Allowlist' && allowed.length > 0)
    throw new CommandError(
      `misconfigured credential plugin allowlist: plugin policy is ${JSON.stringify(policy)} but allowlist is non-empty`,
    );
  if (policy === 'Allowlist' && (allowed.length === 0 || allowed.includes('')))
    throw new CommandError('misconfigured credential plugin allowlist: it is empty or has an empty entry');
  return { policy, allowed };
}

/** Fails where the policy keeps a program from being run. */
export function checkCredentialPlugin(command: string, { policy, allowed }: CredentialPluginPolicy): void {
  if (policy === 'DenyAll')
    throw new CommandError(`plugin ${JSON.stringify(command)} not allowed: policy set to "DenyAll"`);
  if (policy === 'Allowlist' && !allowed.includes(command))
    throw new CommandError(
      `plugin path ${JSON.stringify(command)} is not permitted by the credential plugin allowlist`,
    );
}
