import { refs } from '@coracle/api';
import { isConflict, isNotFound, keyOf } from '@coracle/apimachinery';
import { type Controller, runKeyed } from '../controller.js';
import { isExpired, readBootstrapToken } from './bootstrap-token.js';

/** Deletes bootstrap tokens when they expire. */
export const tokenCleaner: Controller = {
  name: 'token-cleaner-controller',
  account: 'token-cleaner',
  start(context) {
    const { client, informers, clock } = context;
    const secrets = informers.for(refs.secrets);
    return runKeyed(context, {
      name: 'token_cleaner',
      workers: 1,
      watch: (queue) => [
        secrets.addHandler(({ type, object }) => {
          if (type !== 'deleted' && readBootstrapToken(object)?.expiresAt !== undefined) queue.add(keyOf(object));
        }),
      ],
      reconcile: async (key) => {
        const secret = secrets.get(key);
        const token = secret && readBootstrapToken(secret);
        if (!secret || token?.expiresAt === undefined) return undefined;
        const now = clock.now();
        if (!isExpired(token, now)) return { requeueAfterMs: token.expiresAt - now };
        const { name = '', namespace, uid } = secret.metadata;
        await client
          .resource(refs.secrets, namespace)
          .delete(name, uid ? { preconditions: { uid } } : {})
          .catch((error: unknown) => {
            if (!isNotFound(error) && !isConflict(error)) throw error;
          });
        return undefined;
      },
    });
  },
};
