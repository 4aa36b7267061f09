import { writeJson } from '@coracle/apimachinery';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { parseLabelPairs } from '../resources/label-pairs.js';
import { withLastApplied } from '../resources/last-applied.js';
import { applyOverrides } from '../resources/overrides.js';
import { RequestHelper } from '../resources/request-helper.js';
import { services } from '../resources/services.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';

const exposable = ['ReplicationController', 'Service', 'Pod', 'Deployment', 'ReplicaSet'];

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const dryRun = dryRunOf(context);
  const { infos, errors } = await findResources(
    factory,
    await findOptions(context, { latest: true, labelSelector: '' }),
  );
  const printer = await printerOf(context, { operation: 'exposed', dryRun, keepsOrder: true });
  const failures = [...errors];
  for (const info of infos) {
    try {
      const plain = serviceFor(context, info);
      const object = await applyOverrides(context, plain);
      const saved = flags.bool('save-config') ? withLastApplied(object) : object;
      if (dryRun === 'client') {
        print(context, printer.print(saved));
        continue;
      }
      const helper = new RequestHelper(await factory.client());
      const created = await helper.create(
        { mapping: services, namespace: info.namespace },
        saved,
        writeParameters(context, dryRun),
      );
      print(context, printer.print(created));
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

/** The service that exposes an object. */
export function serviceFor({ flags }: Context, info: Info): Fields {
  const object = info.object ?? {};
  const kind = textAt(object, 'kind');
  if (!exposable.includes(kind)) throw new CommandError(`cannot expose a ${kind}`);
  const selector = flags.string('selector') === '' ? selectorOf(object) : parseLabelPairs(flags.string('selector'));
  const labels =
    flags.string('labels') === '' ? stringMapAt(object, 'metadata', 'labels') : parseLabelPairs(flags.string('labels'));
  const [type, affinity, clusterIp] = [
    flags.string('type'),
    flags.string('session-affinity'),
    flags.string('cluster-ip'),
  ];
  const [externalIp, loadBalancerIp] = [flags.string('external-ip'), flags.string('load-balancer-ip')];
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name: (flags.string('name') || info.name).slice(0, 63),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    spec: {
      ports: portsOf(flags.string('port'), {
        object,
        target: flags.string('target-port'),
        protocol: flags.string('protocol'),
      }),
      selector,
      ...(clusterIp !== '' && { clusterIP: clusterIp }),
      ...(type !== '' && { type }),
      ...(externalIp !== '' && { externalIPs: [externalIp] }),
      ...(affinity !== '' && { sessionAffinity: affinity }),
      ...(loadBalancerIp !== '' && { loadBalancerIP: loadBalancerIp }),
    },
    status: { loadBalancer: {} },
  };
}

/** The labels that the pods behind an object have. */
export function selectorOf(object: Fields): Record<string, string> {
  const kind = textAt(object, 'kind');
  const refuse = (text: string) =>
    new CommandError(`couldn't retrieve selectors via --selector flag or introspection: ${text}`);
  if (kind === 'Pod') {
    const labels = stringMapAt(object, 'metadata', 'labels');
    if (Object.keys(labels).length === 0) throw refuse('the pod has no labels and cannot be exposed');
    return labels;
  }
  const selector =
    kind === 'Deployment' || kind === 'ReplicaSet'
      ? stringMapAt(object, 'spec', 'selector', 'matchLabels')
      : stringMapAt(object, 'spec', 'selector');
  const expressions = recordsAt(object, 'spec', 'selector', 'matchExpressions');
  if (expressions.length > 0)
    throw refuse(`couldn't convert expressions - ${writeJson(expressions)} to map-based selector format`);
  if (Object.keys(selector).length === 0)
    throw refuse(`the ${kind.toLowerCase()} has no pod selector set, it cannot be exposed`);
  return selector;
}

interface PortValues {
  readonly object: Fields;
  readonly target: string;
  readonly protocol: string;
}

function portsOf(text: string, { object, target, protocol }: PortValues): Fields[] {
  const ports = containerPorts(object);
  const numbers = text === '' ? ports.map(({ port }) => port) : text.split(',').map(portNumber);
  if (numbers.length === 0) throw new CommandError("couldn't find port via --port flag or introspection");
  return numbers.map((port, i) => ({
    ...(numbers.length > 1 && { name: `port-${i + 1}` }),
    protocol: protocol || (ports.find((one) => one.port === port)?.protocol ?? 'TCP'),
    port,
    targetPort: target === '' ? port : /^\d+$/.test(target) ? Number(target) : target,
  }));
}

function containerPorts(object: Fields): { port: number; protocol: string }[] {
  const kind = textAt(object, 'kind');
  if (kind === 'Service')
    return recordsAt(object, 'spec', 'ports').map((one) => ({
      port: Number(one['port']),
      protocol: textAt(one, 'protocol') || 'TCP',
    }));
  const spec = kind === 'Pod' ? recordAt(object, 'spec') : recordAt(object, 'spec', 'template', 'spec');
  return recordsAt(spec, 'containers')
    .flatMap((container) => recordsAt(container, 'ports'))
    .map((one) => ({ port: Number(one['containerPort']), protocol: textAt(one, 'protocol') || 'TCP' }));
}

function portNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new CommandError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}
