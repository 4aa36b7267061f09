import { refs, type Secret } from '@coracle/api';
import { isConflict, isNotFound } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Controller, ControllerContext } from '../controller.js';
import { passEvery } from '../pass-every.js';
import { type Cleaning, dayOf, hasBeenTracked, invalidSinceLabel, stepFor } from './plan-cleaning.js';
import { secretsOfPod } from './pod-secrets.js';

const everyMs: Millis = 24 * 60 * 60_000;
const usualPeriodMs: Millis = 365 * everyMs;
/** The time since which the API server records the use of tokens. */
const tracking = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };

export interface LegacyTokenCleanerOptions {
  /** `--legacy-service-account-token-clean-up-period`; a year unless stated. */
  readonly periodMs?: Millis | undefined;
}

/**
 * Disables legacy token secrets that have not been used for long, and deletes them after a second period without use.
 */
export function legacyTokenCleaner({ periodMs = usualPeriodMs }: LegacyTokenCleanerOptions = {}): Controller {
  return {
    name: 'legacy-serviceaccount-token-cleaner-controller',
    account: 'legacy-service-account-token-cleaner',
    start(context) {
      for (const ref of [refs.secrets, refs.serviceAccounts, refs.pods]) context.informers.for(ref);
      const failure = 'unused tokens of service accounts could not be looked for';
      const passes = passEvery(context, { periodMs: everyMs, failure, pass: () => clean(context, periodMs) });
      return { [Symbol.asyncDispose]: async () => passes[Symbol.dispose]() };
    },
  };
}

async function clean(context: ControllerContext, periodMs: Millis): Promise<void> {
  const { client, informers, clock, logger } = context;
  const now = clock.now();
  const { data } = await client.resource(refs.configMaps, tracking.namespace).get(tracking.name);
  if (!hasBeenTracked(data?.['since'], { now, periodMs })) return;
  const used = usedSecrets(context);
  const cleaning: Cleaning = {
    now,
    periodMs,
    accountOf: (namespace, name) => informers.for(refs.serviceAccounts).get(`${namespace}/${name}`),
    isUsedByPods: ({ metadata }) => used.has(`${metadata.namespace}/${metadata.name}`),
  };
  for (const secret of informers.for(refs.secrets).list()) {
    await carryOut(secret, cleaning, context).catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) logger.error('an unused token could not be cleaned up', { error });
    });
  }
}

function usedSecrets({ informers }: ControllerContext): Set<string> {
  const pods = informers.for(refs.pods).list();
  return new Set(pods.flatMap((pod) => secretsOfPod(pod).map((name) => `${pod.metadata.namespace}/${name}`)));
}

async function carryOut(secret: Secret, cleaning: Cleaning, { client }: ControllerContext): Promise<void> {
  const { name = '', namespace = '', uid, resourceVersion } = secret.metadata;
  const secrets = client.resource(refs.secrets, namespace);
  switch (stepFor(secret, cleaning)) {
    case 'keep':
      return;
    case 'disable': {
      const metadata = { uid, labels: { [invalidSinceLabel]: dayOf(cleaning.now) } };
      await secrets.patch(name, { metadata }, { type: 'merge' });
      return;
    }
    case 'remove':
      // It may have been used just now.
      await secrets.delete(name, { preconditions: { ...(resourceVersion && { resourceVersion }) } });
  }
}
