import { type Namespace, refs } from '@coracle/api';
import { isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { Controller, ControllerContext } from '../controller.js';
import { eachNamespace } from '../each-namespace.js';

const accounts = ['default'];

/** Creates the default service account in every namespace. */
export const serviceAccountController: Controller = {
  name: 'serviceaccount-controller',
  account: 'service-account-controller',
  start: (context) =>
    eachNamespace(context, {
      name: 'serviceaccount',
      watch: (queue) =>
        context.informers.for(refs.serviceAccounts).addHandler(({ type, object }) => {
          if (type === 'deleted') queue.add(object.metadata.namespace ?? '');
        }),
      ensure: (namespace) => ensureAccounts(namespace, context),
    }),
};

async function ensureAccounts({ metadata }: Namespace, { client, informers }: ControllerContext): Promise<void> {
  const { name: namespace = '' } = metadata;
  const accountInformer = informers.for(refs.serviceAccounts);
  for (const name of accounts) {
    if (accountInformer.get(`${namespace}/${name}`)) continue;
    await client
      .resource(refs.serviceAccounts, namespace)
      .create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } })
      .catch((error) => {
        // It exists already, or the namespace is deleted or terminating.
        if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
      });
  }
}
