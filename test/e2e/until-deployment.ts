import { type Deployment, refs } from '@coracle/api';
import { type Client, waitForObject } from '@coracle/client';
import { systemClock } from '@coracle/platform-nodejs';

/** Waits until the deployment, `web` unless named, is as it should be. */
export async function untilDeployment(
  client: Client,
  holds: (deployment: Deployment) => boolean,
  { name = 'web', timeoutMs }: { readonly name?: string; readonly timeoutMs: number },
): Promise<void> {
  await waitForObject({
    client,
    clock: systemClock,
    ref: refs.deployments,
    namespace: 'default',
    name,
    until: (deployment) => deployment !== undefined && holds(deployment),
    timeoutMs,
  });
}
