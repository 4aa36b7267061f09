import { isDns1123Label } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
};

export type ServiceType = 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';

/** `create service TYPE NAME --tcp=port:targetPort`. */
export function serviceOf(context: Context, type: ServiceType, fields: Fields = {}): Generated {
  const { flags } = context;
  const name = requireName(context);
  const nodePort = flags.has('node-port') ? flags.number('node-port') : 0;
  const ports = flags.strings('tcp').map((text) => servicePort(text, nodePort));
  const isHeadless = fields['clusterIP'] === 'None';
  if (ports.length === 0 && type !== 'ExternalName' && !isHeadless)
    throw new CommandError('at least one tcp port specifier must be provided');
  const labels = { app: name };
  const { clusterIP, externalName } = fields;
  const object = {
    ...headOf(resource),
    metadata: { name, labels },
    spec: {
      ...(ports.length > 0 && { ports }),
      selector: labels,
      ...(clusterIP !== undefined && { clusterIP }),
      type,
      ...(externalName !== undefined && { externalName }),
    },
    status: { loadBalancer: {} },
  };
  return { resource, object, failure: `failed to create ${type} service: ` };
}

function servicePort(text: string, nodePort: number): Fields {
  const [portText = '', targetText] = text.split(/:(.*)/s);
  const port = portNumber(portText);
  const targetPort = targetText === undefined ? port : target(targetText);
  return {
    name: text.replaceAll(':', '-'),
    protocol: 'TCP',
    port,
    targetPort,
    ...(nodePort > 0 && { nodePort }),
  };
}

function portNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new CommandError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
  return inRange(Number(text));
}

function inRange(port: number): number {
  if (port < 1 || port > 65_535) throw new CommandError('must be between 1 and 65535, inclusive');
  return port;
}

function target(text: string): number | string {
  if (/^\d+$/.test(text)) return inRange(Number(text));
  const [problem] = isDns1123Label(text);
  if (problem) throw new CommandError(problem);
  return text;
}
