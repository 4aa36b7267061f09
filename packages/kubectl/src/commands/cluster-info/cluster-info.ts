import type { Client } from '@coracle/client';
import { type Context, print } from '../../command/context.js';
import { collectionPath, RequestHelper, withQuery } from '../../resources/request-helper.js';
import { services } from '../../resources/services.js';
import { type Fields, recordsAt, stringMapAt, textAt } from '../../values.js';

export async function run(context: Context): Promise<void> {
  const { factory } = context;
  const closing = "\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n";
  try {
    const server = await factory.server();
    const { namespace, enforced } = await factory.namespace();
    const shown = await clusterServices(await factory.client(), enforced ? namespace : 'kube-system');
    print(context, line(context, 'Kubernetes control plane', server));
    for (const { name, path } of shown) print(context, line(context, name, `${server}${path}`));
  } finally {
    print(context, closing);
  }
}

/** The services that belong to the cluster itself, with their paths below the address of the API server. */
export async function clusterServices(client: Client, namespace: string): Promise<{ name: string; path: string }[]> {
  const path = collectionPath({ mapping: services, namespace });
  const selector = withQuery(path, { labelSelector: 'kubernetes.io/cluster-service=true' });
  const list = await new RequestHelper(client).send('GET', selector);
  return recordsAt(list, 'items').map((service) => ({ name: nameOf(service), path: linkOf(service) }));
}

function line({ host }: Context, name: string, url: string): string {
  if (!host.stdout.isTerminal) return `${name} is running at ${url}\n`;
  return `\u001b[0;32m${name}\u001b[0m is running at \u001b[0;33m${url}\u001b[0m\n`;
}

function nameOf(service: Fields): string {
  return stringMapAt(service, 'metadata', 'labels')['kubernetes.io/name'] || textAt(service, 'metadata', 'name');
}

/** The address through a load balancer, or through the API server's proxy. */
function linkOf(service: Fields): string {
  const [namespace, name] = [textAt(service, 'metadata', 'namespace'), textAt(service, 'metadata', 'name')];
  const [port] = recordsAt(service, 'spec', 'ports');
  const scheme = textAt(port, 'name') === 'https' || port?.['port'] === 443 ? 'https:' : '';
  const portName = textAt(port, 'name');
  const suffix = scheme !== '' || portName !== '' ? `:${portName}` : '';
  return `/api/v1/namespaces/${namespace}/services/${scheme}${name}${suffix}/proxy`;
}
