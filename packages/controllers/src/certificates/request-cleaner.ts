import { refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Controller, ControllerContext } from '../controller.js';
import { passEvery } from '../pass-every.js';
import { isStale } from './request-state.js';

const periodMs: Millis = 60 * 60_000;

/** Deletes requests that are approved, denied, failed or pending for too long. */
export const requestCleaner: Controller = {
  name: 'certificatesigningrequest-cleaner-controller',
  account: 'certificate-controller',
  start(context) {
    context.informers.for(refs.certificateSigningRequests);
    const failure = 'certificate requests could not be removed';
    const passes = passEvery(context, { periodMs, failure, pass: () => clean(context) });
    return { [Symbol.asyncDispose]: async () => passes[Symbol.dispose]() };
  },
};

async function clean({ client, informers, clock, logger }: ControllerContext): Promise<void> {
  const requests = client.resource(refs.certificateSigningRequests);
  for (const request of informers.for(refs.certificateSigningRequests).list()) {
    if (!isStale(request, clock.now())) continue;
    await requests.delete(request.metadata.name ?? '').catch((error: unknown) => {
      if (!isNotFound(error)) logger.error('a certificate request could not be removed', { error });
    });
  }
}
