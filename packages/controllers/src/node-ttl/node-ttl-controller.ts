import { refs } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import { type Controller, runKeyed } from '../controller.js';
import { ttlAnnotation, ttlStep } from './ttl-steps.js';

/** Annotates nodes with the time for which kubelets may cache secrets and config maps: longer in larger clusters. */
export const nodeTtlController: Controller = {
  name: 'ttl-controller',
  start(context) {
    const { client, informers } = context;
    const nodes = informers.for(refs.nodes);
    let step = ttlStep(0, 0);
    return runKeyed(context, {
      name: 'ttlcontroller',
      watch: (queue) => [
        nodes.addHandler(({ type, object }) => {
          const next = ttlStep(nodes.list().length, step.index);
          const changed = next.index !== step.index;
          step = next;
          if (changed) for (const { metadata } of nodes.list()) queue.add(metadata.name ?? '');
          else if (type !== 'deleted') queue.add(object.metadata.name ?? '');
        }),
      ],
      reconcile: async (name) => {
        const node = nodes.get(name);
        const ttl = String(step.ttlSeconds);
        if (!node || node.metadata.annotations?.[ttlAnnotation] === ttl) return;
        const patch = { metadata: { annotations: { [ttlAnnotation]: ttl } } };
        await client
          .resource(refs.nodes)
          .patch(name, patch, { type: 'strategic' })
          .catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
      },
    });
  },
};
