import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: 'networking.k8s.io',
  version: 'v1',
  resource: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
};

const rulePattern =
  /^(?<host>[\w*\-.]*)(?<path>\/.*?)=(?<service>[a-z0-9-]+):(?<port>[a-z0-9-]+)(?:,tls(?:=(?<secret>.*))?)?(?<!,)$/;

export async function generate(context: Context): Promise<Generated> {
  const { flags } = context;
  const name = requireName(context);
  const rules = flags.strings('rule');
  const backend = flags.string('default-backend');
  if (rules.length === 0 && backend === '')
    throw new CommandError(
      'not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)',
    );
  const parsed = rules.map(parseRule);
  const annotations = annotationsOf(flags.strings('annotation'));
  const className = flags.string('class');
  const tls = tlsOf(parsed);
  const object = {
    ...headOf(resource),
    metadata: { name, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...(className !== '' && { ingressClassName: className }),
      ...(backend !== '' && { defaultBackend: parseBackend(backend) }),
      ...(tls.length > 0 && { tls }),
      ...(parsed.length > 0 && { rules: rulesOf(parsed) }),
    },
    status: { loadBalancer: {} },
  };
  return { resource, object, failure: 'failed to create ingress: ' };
}

interface Rule {
  readonly host: string;
  readonly path: string;
  readonly service: string;
  readonly port: string;
  readonly tls: boolean;
  readonly secret: string;
}

function parseRule(text: string): Rule {
  const groups = rulePattern.exec(text)?.groups;
  if (!groups)
    throw new CommandError(`rule ${text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`);
  const { host = '', path = '', service = '', port = '', secret = '' } = groups;
  return { host, path, service, port, tls: /,tls(=|$)/.test(text), secret };
}

function rulesOf(rules: readonly Rule[]): Fields[] {
  const byHost = new Map<string, Fields[]>();
  for (const { host, path, service, port } of rules) {
    const isPrefix = path.endsWith('*');
    const entry = {
      path: isPrefix ? path.slice(0, -1) : path,
      pathType: isPrefix ? 'Prefix' : 'Exact',
      backend: { service: { name: service, port: portOf(port) } },
    };
    byHost.set(host, [...(byHost.get(host) ?? []), entry]);
  }
  return [...byHost].map(([host, paths]) => ({ ...(host !== '' && { host }), http: { paths } }));
}

function tlsOf(rules: readonly Rule[]): Fields[] {
  const bySecret = new Map<string, string[]>();
  for (const { host, tls, secret } of rules) {
    if (!tls) continue;
    const hosts = bySecret.get(secret) ?? [];
    if (host !== '' && !hosts.includes(host)) hosts.push(host);
    bySecret.set(secret, hosts);
  }
  return [...bySecret].map(([secretName, hosts]) => ({
    ...(hosts.length > 0 && { hosts }),
    ...(secretName !== '' && { secretName }),
  }));
}

function parseBackend(text: string): Fields {
  const [name = '', port, ...rest] = text.split(':');
  if (port === undefined || rest.length > 0)
    throw new CommandError('default-backend should be in format servicename:serviceport');
  return { service: { name, port: portOf(port) } };
}

function portOf(port: string): Fields {
  return /^\d+$/.test(port) ? { number: Number(port) } : { name: port };
}

function annotationsOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const mark = pair.indexOf('=');
      if (mark <= 0) throw new CommandError(`annotation ${pair} is invalid and should be in format key=[value]`);
      return [pair.slice(0, mark), pair.slice(mark + 1)];
    }),
  );
}
