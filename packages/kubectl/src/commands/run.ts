import { CommandError } from '../command/command-error.js';
import { type Context, print, usageError } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import { dryRunOf, writeParameters } from '../resources/common-flags.js';
import { parseLabelPairs } from '../resources/label-pairs.js';
import { withLastApplied } from '../resources/last-applied.js';
import { applyOverrides } from '../resources/overrides.js';
import { RequestHelper } from '../resources/request-helper.js';
import { type Fields, recordAt } from '../values.js';

const builtIn = (resource: string, kind: string) => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced: true,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
});

const restartPolicies = ['Always', 'OnFailure', 'Never'];
/** A reference to an image: name, optional tag, optional digest. */
const imageReference =
  /^(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?::\d+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$/;

export async function run(context: Context): Promise<void> {
  const { flags, args } = context;
  const [name, ...rest] = args;
  if (name === undefined) throw usageError(context, 'NAME is required for run');
  const attaches = flags.bool('attach') || flags.bool('stdin') || flags.bool('tty');
  const dryRun = dryRunOf(context);
  const image = flags.string('image');
  if (image === '') throw usageError(context, '--image is required');
  if (!imageReference.test(image))
    throw new CommandError(`Invalid image name ${JSON.stringify(image)}: invalid reference format`);
  if (flags.bool('tty') && !flags.bool('stdin'))
    throw usageError(context, '-i/--stdin is required for containers with -t/--tty=true');
  if (flags.bool('expose') && flags.string('port') === '')
    throw usageError(context, '--port must be set when exposing a service');
  if (!restartPolicies.includes(flags.string('restart')))
    throw usageError(context, `invalid restart policy: ${flags.string('restart')}`);
  if (flags.bool('rm') && !attaches) throw usageError(context, '--rm should only be used for attached containers');
  if (attaches && dryRun !== 'none')
    throw usageError(
      context,
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  const pod = await applyOverrides(context, podOf(context, name, rest));
  const printer = await printerOf(context, { operation: 'created', dryRun, keepsOrder: true });
  if (flags.bool('expose')) {
    print(context, printer.print(await create(context, serviceOf(context, name, pod), dryRun)));
    if (flags.string('output') === 'yaml') print(context, '---\n');
  }
  const created = await create(context, pod, dryRun);
  if (attaches) {
    const { attachToCreated } = await import('../remote/attach-to-created.js');
    return attachToCreated(context, created);
  }
  print(context, printer.print(created));
}

export async function create(context: Context, object: Fields, dryRun: DryRun): Promise<Fields> {
  const { flags, factory } = context;
  const saved = flags.bool('save-config') ? withLastApplied(object) : object;
  const { namespace, enforced } = await factory.namespace();
  if (dryRun === 'client') {
    const { name, ...rest } = recordAt(saved, 'metadata');
    return enforced ? { ...saved, metadata: { name, namespace, ...rest } } : saved;
  }
  const kind = String(object['kind']);
  const mapping = kind === 'Pod' ? builtIn('pods', kind) : builtIn('services', kind);
  return new RequestHelper(await factory.client()).create(
    { mapping, namespace },
    saved,
    writeParameters(context, dryRun),
  );
}

/** The pod that the flags describe. */
export function podOf({ flags }: Context, name: string, words: readonly string[]): Fields {
  const labels = flags.string('labels') === '' ? { run: name } : parseLabelPairs(flags.string('labels'));
  const annotations = Object.fromEntries(flags.strings('annotations').map((pair) => pairOf(pair, 'annotation')));
  const env = flags.strings('env').map((pair) => {
    const [key, value] = pairOf(pair, 'env');
    return { name: key, value };
  });
  const [port, pullPolicy, interactive] = [
    flags.string('port'),
    flags.string('image-pull-policy'),
    flags.bool('stdin'),
  ];
  const stdinOnce = interactive && !flags.bool('leave-stdin-open') && flags.string('restart') === 'Never';
  const container = {
    name,
    image: flags.string('image'),
    ...(words.length > 0 && (flags.bool('command') ? { command: words } : { args: words })),
    ...(port !== '' && { ports: [{ containerPort: portNumber(port) }] }),
    ...(env.length > 0 && { env }),
    resources: {},
    ...(pullPolicy !== '' && { imagePullPolicy: pullPolicy }),
    ...(flags.bool('privileged') && { securityContext: { privileged: true } }),
    ...(interactive && { stdin: true }),
    ...(stdinOnce && { stdinOnce: true }),
    ...(flags.bool('tty') && { tty: true }),
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, labels, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { containers: [container], restartPolicy: flags.string('restart'), dnsPolicy: 'ClusterFirst' },
    status: {},
  };
}

function pairOf(pair: string, what: string): [string, string] {
  const mark = pair.indexOf('=');
  if (mark <= 0) throw new CommandError(`invalid ${what}: ${pair}`);
  return [pair.slice(0, mark), pair.slice(mark + 1)];
}

function portNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new CommandError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function serviceOf({ flags }: Context, name: string, pod: Fields): Fields {
  const port = portNumber(flags.string('port'));
  const labels = flags.string('labels');
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, ...(labels !== '' && { labels: parseLabelPairs(labels) }) },
    spec: { ports: [{ protocol: 'TCP', port, targetPort: port }], selector: recordAt(pod, 'metadata', 'labels') },
    status: { loadBalancer: {} },
  };
}
