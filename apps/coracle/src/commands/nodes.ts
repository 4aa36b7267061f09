import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { createClient } from '@coracle/client';
import { createHttpTransport, createStderrLogger, loadConnection } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { parseCount } from '../flags/flag-values.js';

interface NodesFlags {
  readonly kubeconfig?: string;
}

const kubeconfigFlag = ['--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)'] as const;

const byName = {
  fail: 'stop a simulated node: no heartbeats, no status of its pods',
  partition: 'disconnect a simulated node from the API server; its kubelet and pods keep running',
  recover: 'restore a simulated node that failed or was disconnected',
} as const;

/** `coracle nodes`: simulated nodes of a running `coracle up`. */
export function nodesCommand(): Command {
  const command = new Command('nodes').description(
    'add simulated nodes to a running cluster, stop them and restore them',
  );
  command
    .command('add')
    .description('add simulated nodes')
    .argument('<count>', 'number of nodes', parseCount)
    .option(
      '--like <file>',
      'Node manifest, YAML or JSON, with labels, annotations, taints and capacity of the new nodes',
    )
    .option(...kubeconfigFlag)
    .action(async (count: number, flags: NodesFlags & { readonly like?: string }) => {
      const like = flags.like === undefined ? undefined : await readNode(flags.like);
      for (const name of await ask({ action: 'add', count, ...(like !== undefined && { like }) }, flags))
        process.stdout.write(`node/${name} added\n`);
    });
  for (const [action, description] of Object.entries(byName))
    command
      .command(action)
      .description(description)
      .argument('<name>', 'name of the node')
      .option(...kubeconfigFlag)
      .action(async (name: string, flags: NodesFlags) => {
        await ask({ action, name }, flags);
        process.stdout.write(`node/${name} ${done[action as keyof typeof byName]}\n`);
      });
  return command.addHelpText(
    'after',
    '\nExamples:\n  coracle nodes add 1000 --like big.yaml\n  coracle nodes fail coracle-node-7\n',
  );
}

const done: Readonly<Record<keyof typeof byName, string>> = {
  fail: 'failed',
  partition: 'disconnected',
  recover: 'recovered',
};

async function readNode(file: string): Promise<unknown> {
  const [document, ...more] = parseYamlDocuments(await readFile(file));
  if (!document || more.length > 0) throw new Error(`${file} must contain one object of the kind Node`);
  return document.value;
}

async function ask(body: object, { kubeconfig }: NodesFlags): Promise<readonly string[]> {
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  using transport = await createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  const client = createClient({ transport, userAgent: 'coracle-nodes' });
  const answer = await client.raw('POST', '/debug/coracle/nodes', { body, contentType: 'application/json' });
  if (answer.status === 404)
    throw new Error((answer.body as { message?: string }).message ?? 'this server has no simulated nodes');
  if (answer.status !== 200) throw new Error((answer.body as { message?: string }).message ?? String(answer.status));
  return (answer.body as { readonly nodes: readonly string[] }).nodes;
}
