import { type certificatesv1beta1, refs } from '@coracle/api';
import { isConflict, isNotFound, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { passEvery } from '../pass-every.js';
import { whenServed } from '../when-served.js';

const periodMs: Millis = 5 * 60_000;
/** Age at which requests are deleted: by then a kubelet has its certificate, or has created another request. */
const longestMs: Millis = 15 * 60_000;

/** Deletes old PodCertificateRequests, whatever their state. */
export const podRequestCleaner = whenServed<certificatesv1beta1.PodCertificateRequest>({
  name: 'podcertificaterequest-cleaner-controller',
  account: 'podcertificaterequestcleaner',
  versions: [refs.podCertificateRequests],
  start(context, ref) {
    const { client, clock, logger } = context;
    const informer = context.informers.for(ref);
    const pass = async () => {
      for (const { metadata } of informer.list()) {
        const { name = '', namespace = '', uid = '', creationTimestamp } = metadata;
        if (clock.now() < (parseTime(creationTimestamp ?? '') ?? 0) + longestMs) continue;
        await client
          .resource(ref, namespace)
          .delete(name, { preconditions: { uid } })
          .catch((error: unknown) => {
            if (!isNotFound(error) && !isConflict(error))
              logger.error('a pod certificate request could not be removed', { error });
          });
      }
    };
    const passes = passEvery(context, { periodMs, failure: 'pod certificate requests could not be removed', pass });
    return { [Symbol.asyncDispose]: async () => passes[Symbol.dispose]() };
  },
});
