import { type Client, podLogs } from '@coracle/client';
import type { Context } from '../../command/context.js';
import { print } from '../../command/context.js';
import { joinPath } from '../../paths.js';
import type { ObjectPrinter } from '../../printers/object-printer.js';
import { formatPrinter } from '../../printers/print-flags.js';
import { filesOf } from '../../resources/read-manifests.js';
import { RequestHelper } from '../../resources/request-helper.js';
import { type Fields, recordsAt, textAt } from '../../values.js';

const kinds: readonly (readonly [file: string, path: string])[] = [
  ['events', 'api/v1/namespaces/NS/events'],
  ['replication-controllers', 'api/v1/namespaces/NS/replicationcontrollers'],
  ['services', 'api/v1/namespaces/NS/services'],
  ['daemonsets', 'apis/apps/v1/namespaces/NS/daemonsets'],
  ['deployments', 'apis/apps/v1/namespaces/NS/deployments'],
  ['replicasets', 'apis/apps/v1/namespaces/NS/replicasets'],
  ['pods', 'api/v1/namespaces/NS/pods'],
];

/** Dumps nodes, and of each namespace its objects and the logs of its pods. */
export async function run(context: Context): Promise<void> {
  const { factory } = context;
  const client = await factory.client();
  const output = context.flags.string('output') || 'json';
  const printer = await formatPrinter(context, output, {});
  const writer = new DumpWriter(context, printer, output === 'yaml' ? '.yaml' : '.json');
  for await (const part of dumpParts(client, await namespacesOf(context, new RequestHelper(client))))
    if ('object' in part) await writer.object(part.name, part.object);
    else await writer.text(part.name, part.text);
  writer.finish();
}

/** A part of a dump: a list of objects, or the logs of a pod. */
export type DumpPart =
  | { readonly name: string; readonly object: Fields }
  | { readonly name: string; readonly text: string };

/** Nodes, and of each namespace its objects and the logs of its pods. */
export async function* dumpParts(client: Client, namespaces: readonly string[]): AsyncGenerator<DumpPart> {
  const helper = new RequestHelper(client);
  yield { name: 'nodes', object: await helper.send('GET', '/api/v1/nodes') };
  for (const namespace of namespaces) {
    let pods: Fields = {};
    for (const [file, path] of kinds) {
      const object = await helper.send('GET', `/${path.replace('NS', namespace)}`);
      yield { name: `${namespace}/${file}`, object };
      if (file === 'pods') pods = object;
    }
    for (const pod of recordsAt(pods, 'items')) yield await dumpLogs(client, { namespace, pod });
  }
}

async function namespacesOf({ flags, factory }: Context, helper: RequestHelper): Promise<string[]> {
  if (flags.bool('all-namespaces'))
    return recordsAt(await helper.send('GET', '/api/v1/namespaces'), 'items').map((item) =>
      textAt(item, 'metadata', 'name'),
    );
  const named = flags.strings('namespaces');
  return named.length > 0 ? [...named] : ['kube-system', (await factory.namespace()).namespace];
}

async function dumpLogs(client: Client, { namespace, pod }: { namespace: string; pod: Fields }): Promise<DumpPart> {
  const name = textAt(pod, 'metadata', 'name');
  const containers = [...recordsAt(pod, 'spec', 'initContainers'), ...recordsAt(pod, 'spec', 'containers')];
  let text = '';
  for (const container of containers) {
    const containerName = textAt(container, 'name');
    text += `==== START logs for container ${containerName} of pod ${namespace}/${name} ====\n`;
    try {
      for await (const chunk of podLogs(client, { namespace, pod: name, container: containerName }))
        text += new TextDecoder().decode(chunk);
    } catch (error) {
      text += `Request log error: ${(error as Error).message}\n`;
    }
    text += `==== END logs for container ${containerName} of pod ${namespace}/${name} ====\n`;
  }
  return { name: `${namespace}/${name}/logs.txt`, text };
}

/** To standard output, or to files in a directory. */
class DumpWriter {
  readonly #context: Context;
  readonly #printer: ObjectPrinter;
  readonly #extension: string;
  readonly #folder: string;

  constructor(context: Context, printer: ObjectPrinter, extension: string) {
    this.#context = context;
    this.#printer = printer;
    this.#extension = extension;
    this.#folder = context.flags.string('output-directory').replace(/^-$/, '');
  }

  object(name: string, object: Fields): Promise<void> {
    return this.text(`${name}${this.#extension}`, this.#printer.print(object));
  }

  async text(name: string, text: string): Promise<void> {
    if (this.#folder === '') return print(this.#context, text);
    const files = filesOf(this.#context.host);
    const path = joinPath(this.#folder, name);
    await files.makeDirectory(path.slice(0, path.lastIndexOf('/')));
    await files.write(path, text);
  }

  finish(): void {
    if (this.#folder !== '') print(this.#context, `Cluster info dumped to ${this.#folder}\n`);
  }
}
