import { refs } from '@coracle/api';
import { isAlreadyExists, isNotFound, StatusError } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { isNamespaceTerminating } from '../active-namespace.js';
import type { Controller, ControllerContext } from '../controller.js';
import { eachNamespace } from '../each-namespace.js';

const name = 'kube-root-ca.crt';
const syncBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. ' +
  'No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Publishes the cluster's CA certificate in every namespace, where pods mount it with their token. */
export function rootCaPublisher(caCertificate: string): Controller {
  return {
    name: 'root-ca-certificate-publisher-controller',
    account: 'root-ca-cert-publisher',
    start: (context) =>
      eachNamespace(context, {
        name: 'root_ca_cert_publisher',
        watch: (queue) =>
          context.informers.for(refs.configMaps).addHandler(({ type, object }) => {
            if (object.metadata.name === name && type !== 'added') queue.add(object.metadata.namespace ?? '');
          }),
        ensure: ({ metadata }) => counted(context, () => publish(metadata.name ?? '', caCertificate, context)),
      }),
  };
}

async function publish(
  namespace: string,
  caCertificate: string,
  { client, informers }: ControllerContext,
): Promise<void> {
  const data = { 'ca.crt': caCertificate };
  const annotations = { 'kubernetes.io/description': description };
  const current = informers.for(refs.configMaps).get(`${namespace}/${name}`);
  const configMaps = client.resource(refs.configMaps, namespace);
  try {
    if (!current)
      await configMaps.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, annotations },
        data,
      });
    // Any description is accepted: that of another version is not overwritten.
    else if (!deepEqual(current.data, data) || !current.metadata.annotations?.['kubernetes.io/description']) {
      await configMaps.update({
        ...current,
        metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } },
        data,
      });
    }
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}

/** Counts the result by response code. */
async function counted({ metrics, clock }: ControllerContext, sync: () => Promise<void>): Promise<void> {
  const labels = ['code'];
  const total = metrics.counter({
    name: 'root_ca_cert_publisher_sync_total',
    help: 'Number of namespace syncs happened in root ca cert publisher.',
    labels,
  });
  const duration = metrics.histogram({
    name: 'root_ca_cert_publisher_sync_duration_seconds',
    help: 'Seconds that a namespace sync of the root ca cert publisher takes.',
    labels,
    buckets: syncBuckets,
  });
  const start = clock.now();
  let code = '200';
  try {
    await sync();
  } catch (error) {
    code = StatusError.is(error) ? String(error.status.code ?? 500) : '500';
    throw error;
  } finally {
    total.add(1, { code });
    duration.observe((clock.now() - start) / 1000, { code });
  }
}
