import { parseQuantity, StatusError } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import { dryRunOf, findOptions, writeParameters } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import { goResource, type Info } from '../resources/info.js';
import { withLastApplied } from '../resources/last-applied.js';
import { RequestHelper, type WriteParameters } from '../resources/request-helper.js';
import { type Fields, textAt } from '../values.js';

const autoscalers = (version: string) => ({
  group: 'autoscaling',
  version,
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  namespaced: true,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
});

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const [min, max] = [flags.number('min'), flags.number('max')];
  if (max < 1) throw new CommandError(`--max=MAXPODS is required and must be at least 1, max: ${max}`);
  if (max < min)
    throw new CommandError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
  if (flags.changed('cpu-percent') && flags.changed('cpu'))
    throw new CommandError('--cpu-percent and --cpu are mutually exclusive');
  const metrics = metricsOf(context);
  const dryRun = dryRunOf(context);
  const { infos, errors } = await findResources(factory, await findOptions(context, { latest: true }));
  const printer = await printerOf(context, { operation: 'autoscaled', dryRun, keepsOrder: true });
  const failures = [...errors];
  for (const info of infos) {
    try {
      const object = autoscaler(info, { name: flags.string('name'), min, max, metrics });
      const saved = flags.bool('save-config') ? withLastApplied(object) : object;
      const creation = { object: saved, metrics, parameters: writeParameters(context, dryRun) };
      print(
        context,
        printer.print(dryRun === 'client' ? saved : await createAutoscaler(await factory.client(), info, creation)),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  throwCollected(failures);
}

function metricsOf({ flags }: Context): Fields[] {
  const metrics: Fields[] = [];
  const percent = flags.number('cpu-percent');
  if (percent >= 0) metrics.push(metric('cpu', { type: 'Utilization', averageUtilization: percent }));
  for (const name of ['cpu', 'memory']) {
    const text = flags.string(name);
    if (text !== '') metrics.push(metric(name, targetOf(name, text)));
  }
  return metrics;
}

export function metric(name: string, target: Fields): Fields {
  return { type: 'Resource', resource: { name, target } };
}

/** `80%` of what pods request, or an amount for each. */
export function targetOf(name: string, text: string): Fields {
  if (/^\d+%?$/.test(text) && (text.endsWith('%') || name === 'never'))
    return { type: 'Utilization', averageUtilization: Number(text.replace('%', '')) };
  try {
    return { type: 'AverageValue', averageValue: parseQuantity(text).toString() };
  } catch {
    throw new CommandError(`invalid resource ${name} value: ${text}`);
  }
}

interface AutoscalerValues {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly metrics: readonly Fields[];
}

/** The autoscaler of a resource that has a scale. */
export function autoscaler({ mapping, name, object }: Info, values: AutoscalerValues): Fields {
  const scalable = mapping?.subresources.some((one) => one.name === 'scale');
  if (!scalable && mapping)
    throw new CommandError(
      `cannot autoscale a ${mapping.kind}: could not find scale subresource for ${goResource(mapping)} in discovery information`,
    );
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: values.name || name },
    spec: {
      scaleTargetRef: { kind: textAt(object, 'kind'), name, apiVersion: textAt(object, 'apiVersion') },
      ...(values.min > 0 && { minReplicas: values.min }),
      maxReplicas: values.max,
      ...(values.metrics.length > 0 && { metrics: values.metrics }),
    },
    status: { desiredReplicas: 0, currentMetrics: null },
  };
}

interface Creation {
  readonly object: Fields;
  readonly metrics: readonly Fields[];
  readonly parameters: WriteParameters;
}

/** With the second version; a server that has only the first gets what that can say. */
export async function createAutoscaler(
  client: Client,
  { namespace }: Pick<Info, 'namespace'>,
  { object, metrics, parameters }: Creation,
): Promise<Fields> {
  const helper = new RequestHelper(client);
  try {
    return await helper.create({ mapping: autoscalers('v2'), namespace }, object, parameters);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const problem = incompatibility(metrics);
    if (problem)
      throw new CommandError(
        `failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: ${problem}`,
      );
    return helper.create({ mapping: autoscalers('v1'), namespace }, firstVersion(object, metrics), parameters);
  }
}

/** Why metrics cannot be expressed in autoscaling/v1. */
function incompatibility(metrics: readonly Fields[]): string | undefined {
  if (metrics.length === 0) return 'empty input';
  const [only] = metrics;
  if (metrics.length > 1) return 'multiple metrics are not supported in autoscaling/v1';
  const isCpu =
    textAt(only, 'resource', 'name') === 'cpu' && textAt(only, 'resource', 'target', 'type') === 'Utilization';
  return isCpu ? undefined : 'only CPU utilization is supported in autoscaling/v1';
}

function firstVersion(object: Fields, metrics: readonly Fields[]): Fields {
  const { metrics: _, ...spec } = object['spec'] as Fields;
  const percent = Number(textAt(metrics[0], 'resource', 'target', 'averageUtilization'));
  return { ...object, apiVersion: 'autoscaling/v1', spec: { ...spec, targetCPUUtilizationPercentage: percent } };
}
