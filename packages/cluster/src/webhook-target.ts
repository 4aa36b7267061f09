import type { WebhookTarget } from '@coracle/apiserver';
import { ReloadedFile, readWebhookTarget } from '@coracle/platform-nodejs';
import type { ReloadDependencies } from './static-tokens.js';

export interface WebhookTargetSettings {
  readonly target: WebhookTarget;
  /** The kubeconfig file of `target`, which is reloaded when it changes. */
  readonly kubeconfig?: string;
}

/** The current webhook target in a kubeconfig file. */
export function currentTarget(
  { target, kubeconfig }: WebhookTargetSettings,
  { logger, parts, periodMs }: ReloadDependencies,
): () => WebhookTarget {
  if (kubeconfig === undefined) return () => target;
  let current = target;
  const apply = async () => {
    current = await readWebhookTarget(kubeconfig);
  };
  parts.use(new ReloadedFile(kubeconfig, '', { apply, logger, ...(periodMs !== undefined && { periodMs }) }));
  return () => current;
}
