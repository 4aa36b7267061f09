import { CommandError } from '../command/command-error.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';

export interface CopyOptions {
  readonly name: string;
  readonly sameNode: boolean;
  readonly shareProcesses: boolean | undefined;
  readonly keepLabels: boolean;
  readonly keepAnnotations: boolean;
  readonly keepInitContainers: boolean;
  readonly keepProbes: { readonly liveness: boolean; readonly readiness: boolean; readonly startup: boolean };
  readonly images: ReadonlyMap<string, string>;
}

/** A copy of a pod to debug: another name, no labels that services select, no probes that would restart it. */
export function planCopy(pod: Fields, options: CopyOptions): Fields {
  const { nodeName, ephemeralContainers: _, ...spec } = recordAt(pod, 'spec');
  const names = new Set(
    [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')].map((one) => textAt(one, 'name')),
  );
  for (const name of options.images.keys())
    if (name !== '*' && !names.has(name))
      throw new CommandError(`unable to find container named ${JSON.stringify(name)}`);
  const containers = recordsAt(spec, 'containers').map((container) =>
    withoutProbes(withImage(container, options.images), options.keepProbes),
  );
  const initContainers = options.keepInitContainers
    ? recordsAt(spec, 'initContainers').map((one) => withImage(one, options.images))
    : [];
  const labels = options.keepLabels ? stringMapAt(pod, 'metadata', 'labels') : {};
  const annotations = options.keepAnnotations ? stringMapAt(pod, 'metadata', 'annotations') : {};
  const { initContainers: __, ...rest } = spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: options.name,
      namespace: textAt(pod, 'metadata', 'namespace'),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      ...rest,
      ...(initContainers.length > 0 && { initContainers }),
      containers,
      ...(options.sameNode && nodeName !== undefined && { nodeName }),
      ...(options.shareProcesses !== undefined && { shareProcessNamespace: options.shareProcesses }),
    },
  };
}

function withImage(container: Fields, images: ReadonlyMap<string, string>): Fields {
  const image = images.get(textAt(container, 'name')) ?? images.get('*');
  return image === undefined ? container : { ...container, image };
}

function withoutProbes(container: Fields, keep: CopyOptions['keepProbes']): Fields {
  const { livenessProbe, readinessProbe, startupProbe, ...rest } = container;
  return {
    ...rest,
    ...(keep.liveness && livenessProbe !== undefined && { livenessProbe }),
    ...(keep.readiness && readinessProbe !== undefined && { readinessProbe }),
    ...(keep.startup && startupProbe !== undefined && { startupProbe }),
  };
}
