import { type certificatesv1beta1, refs } from '@coracle/api';
import { isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import { type Controller, runKeyed } from '../controller.js';
import { whenServed } from '../when-served.js';
import { bundleName, servingSigner } from './bundle-name.js';

/** Maintains one ClusterTrustBundle with the CA of the API server's serving certificates, and deletes earlier ones. */
export function trustBundlePublisher(caCertificate: string): Controller {
  return whenServed<certificatesv1beta1.ClusterTrustBundle>({
    name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    versions: [refs.clusterTrustBundlesV1beta1, refs.clusterTrustBundles],
    start(context, ref) {
      const informer = context.informers.for(ref);
      const bundles = context.client.resource(ref);
      return runKeyed(context, {
        name: 'kube_apiserver_serving_clustertrustbundle_publisher',
        workers: 1,
        watch: (queue) => {
          queue.add(servingSigner);
          return [
            informer.addHandler(({ object }) => {
              if (object.spec.signerName === servingSigner) queue.add(servingSigner);
            }),
          ];
        },
        async reconcile() {
          const name = await bundleName(caCertificate);
          const own = informer.list().filter(({ spec }) => spec.signerName === servingSigner);
          const current = own.find(({ metadata }) => metadata.name === name);
          const spec = { signerName: servingSigner, trustBundle: caCertificate };
          if (!current) await bundles.create({ metadata: { name }, spec }).catch(unless(isAlreadyExists));
          else if (current.spec.trustBundle !== caCertificate) await bundles.update({ ...current, spec });
          for (const { metadata } of own)
            if (metadata.name !== name) await bundles.delete(metadata.name ?? '').catch(unless(isNotFound));
          return undefined;
        },
      });
    },
  });
}

function unless(isExpected: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isExpected(error)) throw error;
  };
}
