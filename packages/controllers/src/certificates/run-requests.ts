import { type certificatesv1, refs } from '@coracle/api';
import { keyOf } from '@coracle/apimachinery';
import { type ControllerContext, runKeyed } from '../controller.js';

type Request = certificatesv1.CertificateSigningRequest;

export interface RequestWork {
  /** Name of the queue. */
  readonly name: string;
  /** Whether this controller handles the request. */
  isOurs(request: Request): boolean;
  settle(request: Request): Promise<void>;
}

/** Passes certificate requests to an approver or signer, one after the other. */
export function runRequests(context: ControllerContext, { name, isOurs, settle }: RequestWork): AsyncDisposable {
  const requests = context.informers.for(refs.certificateSigningRequests);
  return runKeyed(context, {
    name,
    workers: 1,
    watch: (queue) => [
      requests.addHandler(({ type, object }) => {
        if (type !== 'deleted' && isOurs(object)) queue.add(keyOf(object));
      }),
    ],
    reconcile: async (key) => {
      const request = requests.get(key);
      if (request) await settle(request);
    },
  });
}
