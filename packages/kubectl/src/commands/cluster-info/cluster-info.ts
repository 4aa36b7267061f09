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
    const path = collectionPath({ mapping: services, namespace: enforced ? namespace : 'kube-system' });
    const helper = new RequestHelper(await factory.client());
    const list = await helper.send('GET', withQuery(path, { labelSelector: 'kubernetes.io/cluster-service=true' }));
    print(context, line(context, 'Kubernetes control plane', server));
    for (const service of recordsAt(list, 'items'))
      print(context, line(context, nameOf(service), `${server}${linkOf(service)}`));
  } finally {
    print(context, closing);
  }
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
