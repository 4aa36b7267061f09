import { type Pod, refs } from '@coracle/api';
import { isNotFound, type KubeObject, reasonOf } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { createClient, discover, resourceInfos } from '@coracle/client';
import type { AccessExplanation } from '@coracle/cluster';
import { createHttpTransport, createStderrLogger, loadConnection } from '@coracle/platform-nodejs';
import { Command } from 'commander';
import { type AccessQuestion, formatCan, parseResource } from '../printing/format-can.js';
import { formatPodTrouble, type PodEvent } from '../printing/format-pod-trouble.js';
import { type FailedCreation, formatMissing, formatWhy, type PodExplanation } from '../printing/format-why.js';

interface WhyFlags {
  readonly kubeconfig?: string;
  readonly namespace: string;
}

interface CanFlags extends WhyFlags {
  readonly group: readonly string[];
  readonly allNamespaces?: boolean;
}

/** `coracle why …`: the reason for a decision, and changes that would lead to another one. */
export function whyCommand(): Command {
  return new Command('why')
    .description('print why a pod is where it is, or why a user may do something, and what would change it')
    .addHelpText(
      'after',
      '\nExamples:\n  coracle why pod web-7957885594-6vpvw\n  coracle why can jane delete deployments.apps\n',
    )
    .addCommand(whyPodCommand())
    .addCommand(whyCanCommand());
}

/** The scheduler's explanation for a pod, node by node, with possible changes. */
function whyPodCommand(): Command {
  return withConnection(new Command('pod'))
    .aliases(['po', 'pods'])
    .description('print why a pod is not scheduled or not ready, or why it is where it is, and what would let it run')
    .argument('<name>', 'name of the pod')
    .action(async (name: string, flags: WhyFlags) => {
      process.stdout.write(await withClient(flags, (client) => explain(client, flags.namespace, name)));
    });
}

/**
 * A pod that a quota or an admission plugin rejects does not exist: then the events of its controller have the reason.
 */
async function explain(client: Client, namespace: string, name: string): Promise<string> {
  try {
    const explanation = await explainPod(client, namespace, name);
    return formatWhy(explanation, explanation.node ? await troubleOf(client, namespace, name) : []);
  } catch (error) {
    const pods = client.resource(refs.pods, namespace);
    const isMissing = await pods.get(name).then(() => false, isNotFound);
    const { items } = isMissing
      ? await client.resource<FailedCreation & KubeObject>(refs.events, namespace).list()
      : { items: [] };
    const text = formatMissing(`${namespace}/${name}`, items);
    if (text === undefined) throw error;
    return text;
  }
}

/** Why a pod that has a node is not ready. Users who may not list events get the rest. */
async function troubleOf(client: Client, namespace: string, name: string): Promise<string[]> {
  const pod = await client.resource<Pod>(refs.pods, namespace).get(name);
  const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${pod.metadata.uid}`;
  const events = client.resource<PodEvent & KubeObject>(refs.events, namespace);
  const { items } = await events.list({ fieldSelector }).catch((error: unknown) => {
    if (reasonOf(error) === 'Forbidden') return { items: [] };
    throw error;
  });
  return formatPodTrouble(pod, items);
}

/** A cluster without nodes has no API group for it, only the page for administrators. */
function explainPod(client: Client, namespace: string, name: string): Promise<PodExplanation> {
  const [ns, pod] = [namespace, name].map(encodeURIComponent);
  const subresource = `/apis/scheduling.coracle.dev/v1alpha1/namespaces/${ns}/pods/${pod}/why`;
  const page = `/debug/coracle/why?pod=${encodeURIComponent(`${namespace}/${name}`)}`;
  return fetchPage<PodExplanation>(client, subresource).catch((error: unknown) =>
    fetchPage<PodExplanation>(client, page).catch(() => Promise.reject(error)),
  );
}

/** Which binding allows a user to do something, or which role would. */
function whyCanCommand(): Command {
  return withConnection(new Command('can'))
    .description('print which binding lets a user do something, or the smallest role that would')
    .argument('<user>', 'name of the user, such as jane or system:serviceaccount:default:robot')
    .argument('<verb>', 'get, list, watch, create, update, patch, delete, …')
    .argument('<resource>', 'resource, such as pods, pods/log or deployments.apps')
    .argument('[name]', 'name of one object')
    .option('--group <name>', 'group of the user; may be repeated', (name: string, all: string[]) => [...all, name], [])
    .option('-A, --all-namespaces', 'in all namespaces')
    .action(async (...[user, verb, resource, name = '', flags]: [string, string, string, string, CanFlags]) => {
      const text = await withClient(flags, async (client) => {
        const question = await completeQuestion(client, { user, verb, resource, name }, flags);
        return formatCan(
          question,
          await fetchPage<AccessExplanation>(client, `/debug/coracle/can?${queryOf(question)}`),
        );
      });
      process.stdout.write(text);
    });
}

function withConnection(command: Command): Command {
  return command
    .option('-n, --namespace <namespace>', 'namespace', 'default')
    .option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG or ~/.kube/config)');
}

/** The group of the resource, and whether it is namespaced, from discovery. */
async function completeQuestion(
  client: Client,
  {
    user,
    verb,
    resource,
    name,
  }: { readonly user: string; readonly verb: string; readonly resource: string; readonly name: string },
  { group, namespace, allNamespaces }: CanFlags,
): Promise<AccessQuestion> {
  const parsed = parseResource(resource);
  const candidates = resourceInfos(await discover(client)).filter(
    (info) =>
      info.resource === parsed.resource ||
      info.singular === parsed.resource ||
      info.shortNames?.includes(parsed.resource),
  );
  const found = parsed.apiGroup === '' ? candidates[0] : candidates.find((info) => info.group === parsed.apiGroup);
  if (!found) throw new Error(`the server has no resource ${JSON.stringify(resource)}`);
  return {
    user,
    groups: group,
    verb,
    resource: found.resource,
    apiGroup: found.group,
    subresource: parsed.subresource,
    name,
    namespace: allNamespaces || !found.namespaced ? '' : namespace,
  };
}

function queryOf({ groups, ...question }: AccessQuestion): string {
  const query = new URLSearchParams(question);
  for (const group of groups) query.append('group', group);
  return query.toString();
}

async function withClient<T>({ kubeconfig }: WhyFlags, use: (client: Client) => Promise<T>): Promise<T> {
  const connection = await loadConnection(kubeconfig ? { path: kubeconfig } : {});
  using transport = await createHttpTransport({ connection, logger: createStderrLogger({ level: 'error' }) });
  return await use(createClient({ transport, userAgent: 'coracle-why' }));
}

async function fetchPage<T>(client: Client, path: string): Promise<T> {
  const { status, body } = await client.raw('GET', path);
  if (status !== 200) throw new Error((body as { message?: string }).message ?? `HTTP ${status}`);
  return body as T;
}
