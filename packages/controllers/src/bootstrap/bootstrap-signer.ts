import { type ConfigMap, refs } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { type BootstrapToken, isExpired, readBootstrapToken } from './bootstrap-token.js';
import { detachedSignature } from './detached-signature.js';

const clusterInfo = { namespace: 'kube-public', name: 'cluster-info' };
const clusterInfoKey = `${clusterInfo.namespace}/${clusterInfo.name}`;
const signaturePrefix = 'jws-kubeconfig-';

/** Signs the kubeconfig in `kube-public/cluster-info` with each bootstrap token, so that joining nodes can trust it. */
export const bootstrapSigner: Controller = {
  name: 'bootstrap-signer-controller',
  account: 'bootstrap-signer',
  start(context) {
    const { informers } = context;
    return runKeyed(context, {
      name: 'bootstrap_signer_queue',
      workers: 1,
      watch: (queue) => [
        informers.for(refs.configMaps).addHandler(({ object }) => {
          const { namespace, name } = object.metadata;
          if (namespace === clusterInfo.namespace && name === clusterInfo.name) queue.add(clusterInfoKey);
        }),
        informers.for(refs.secrets).addHandler(({ object }) => {
          if (readBootstrapToken(object)) queue.add(clusterInfoKey);
        }),
      ],
      reconcile: () => sign(context),
    });
  },
};

async function sign(context: ControllerContext): Promise<void> {
  const { client, informers, clock } = context;
  const info = informers.for(refs.configMaps).get(clusterInfoKey);
  if (!info) return;
  const now = clock.now();
  const tokens = informers
    .for(refs.secrets)
    .list()
    .flatMap((secret) => readBootstrapToken(secret) ?? [])
    .filter((token) => token.signs && !isExpired(token, now));
  const data = await signedData(info, tokens);
  if (!deepEqual(data, info.data ?? {}))
    await client.resource(refs.configMaps, clusterInfo.namespace).update({ ...info, data });
}

/** The data with one signature for each token, without those of deleted tokens. */
async function signedData(
  { data = {} }: ConfigMap,
  tokens: readonly BootstrapToken[],
): Promise<Record<string, string>> {
  const unsigned = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix));
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return Object.fromEntries(unsigned);
  const signatures = tokens.map(
    async (token) => [signaturePrefix + token.id, await detachedSignature(kubeconfig, token)] as const,
  );
  return Object.fromEntries([...unsigned, ...(await Promise.all(signatures))]);
}
