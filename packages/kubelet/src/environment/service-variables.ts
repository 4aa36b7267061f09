import type { Service } from '@coracle/api';

/** The environment variables of services: those of Kubernetes, and Docker links. */
export function serviceVariables(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const service of services) for (const [name, value] of variablesOf(service)) variables.set(name, value);
  return variables;
}

type Variables = readonly (readonly [string, string])[];

/** All containers of a namespace share the variables of the same services. */
const cache = new WeakMap<Service, Variables>();

function variablesOf(service: Service): Variables {
  let variables = cache.get(service);
  if (!variables) cache.set(service, (variables = makeVariables(service)));
  return variables;
}

function makeVariables({ metadata, spec }: Service): Variables {
  const { clusterIP: ip, ports = [] } = spec ?? {};
  const [first] = ports;
  if (!ip || ip === 'None' || !first) return [];
  const prefix = variableName(metadata.name ?? '');
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const url = ({ protocol = 'TCP', port }: typeof first) => `${protocol.toLowerCase()}://${host}:${port}`;
  return [
    [`${prefix}_SERVICE_HOST`, ip],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    ...ports.flatMap(({ name, port }) =>
      name ? [[`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)] as const] : [],
    ),
    [`${prefix}_PORT`, url(first)],
    ...ports.flatMap((one) => {
      const { protocol = 'TCP', port } = one;
      const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
      return [
        [link, url(one)],
        [`${link}_PROTO`, protocol.toLowerCase()],
        [`${link}_PORT`, String(port)],
        [`${link}_ADDR`, ip],
      ] as const;
    }),
  ];
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
