import { isNotFound } from '@coracle/apimachinery';
import { withQuery } from '../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { ask, askForItems, type Describer, type DescribeTools, writeEvents } from './tools.js';
import { type DescribeWriter, formatMap, formatSelector, writeAnnotations, writeHead, writeLabels } from './writer.js';

export const describeService: Describer = async (object, w, tools) => {
  const spec = recordAt(object, 'spec');
  writeHead(w, object);
  w.write(0, `Selector:\t${formatMap(stringMapAt(spec, 'selector')) || '<none>'}`);
  w.write(0, `Type:\t${textAt(spec, 'type')}`);
  w.optional(0, 'IP Family Policy', textAt(spec, 'ipFamilyPolicy'));
  w.write(0, `IP Families:\t${textsAt(spec, 'ipFamilies').join(',') || '<none>'}`);
  w.write(0, `IP:\t${textAt(spec, 'clusterIP')}`);
  w.write(0, `IPs:\t${textsAt(spec, 'clusterIPs').join(',') || '<none>'}`);
  const externalIps = textsAt(spec, 'externalIPs');
  if (externalIps.length > 0) w.write(0, `External IPs:\t${externalIps.join(',')}`);
  w.optional(0, 'Desired LoadBalancer IP', textAt(spec, 'loadBalancerIP'));
  const ingress = recordsAt(object, 'status', 'loadBalancer', 'ingress').map(
    (one) => textAt(one, 'ip') || textAt(one, 'hostname'),
  );
  if (ingress.length > 0) w.write(0, `LoadBalancer Ingress:\t${ingress.join(', ')}`);
  w.optional(0, 'External Name', textAt(spec, 'externalName'));
  const slices = await slicesOf(object, tools);
  for (const port of recordsAt(spec, 'ports')) writePort(w, port, slices);
  w.write(0, `Session Affinity:\t${textAt(spec, 'sessionAffinity')}`);
  w.optional(0, 'External Traffic Policy', textAt(spec, 'externalTrafficPolicy'));
  w.optional(0, 'Internal Traffic Policy', textAt(spec, 'internalTrafficPolicy'));
  w.optional(0, 'Traffic Distribution', textAt(spec, 'trafficDistribution'));
  if (spec['healthCheckNodePort']) w.write(0, `HealthCheck NodePort:\t${textAt(spec, 'healthCheckNodePort')}`);
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  if (ranges.length > 0) w.write(0, `LoadBalancer Source Ranges:\t${ranges.join(',')}`);
  await writeEvents(w, object, tools);
};

function slicesOf(object: Fields, tools: DescribeTools): Promise<Fields[]> {
  const path = `/apis/discovery.k8s.io/v1/namespaces/${textAt(object, 'metadata', 'namespace')}/endpointslices`;
  return askForItems(
    tools,
    withQuery(path, { labelSelector: `kubernetes.io/service-name=${textAt(object, 'metadata', 'name')}` }),
  );
}

function writePort(w: DescribeWriter, port: Fields, slices: readonly Fields[]): void {
  const name = textAt(port, 'name') || '<unset>';
  const protocol = textAt(port, 'protocol');
  w.write(0, `Port:\t${name}\t${textAt(port, 'port')}/${protocol}`);
  w.write(0, `TargetPort:\t${textAt(port, 'targetPort')}/${protocol}`);
  if (port['nodePort']) w.write(0, `NodePort:\t${name}\t${textAt(port, 'nodePort')}/${protocol}`);
  w.write(0, `Endpoints:\t${endpointsText(slices, textAt(port, 'name'))}`);
}

const shownEndpoints = 3;

/** The ready addresses behind a port; the first few of them. */
function endpointsText(slices: readonly Fields[], portName: string): string {
  if (slices.length === 0) return '';
  const all = slices.flatMap((slice) => {
    const ports = recordsAt(slice, 'ports').filter((port) => portName === '' || textAt(port, 'name') === portName);
    return ports.flatMap((port) =>
      recordsAt(slice, 'endpoints')
        .filter((endpoint) => recordAt(endpoint, 'conditions')['ready'] !== false)
        .flatMap((endpoint) => textsAt(endpoint, 'addresses'))
        .map((address) => `${address.includes(':') ? `[${address}]` : address}:${textAt(port, 'port')}`),
    );
  });
  const more = all.length - shownEndpoints;
  return all.slice(0, shownEndpoints).join(',') + (more > 0 ? ` + ${more} more...` : '');
}

export const describeEndpoints: Describer = async (object, w, tools) => {
  writeHead(w, object);
  w.write(0, 'Subsets:');
  for (const subset of recordsAt(object, 'subsets')) {
    const addresses = (field: string) =>
      recordsAt(subset, field)
        .map((one) => textAt(one, 'ip'))
        .join(',') || '<none>';
    w.write(1, `Addresses:\t${addresses('addresses')}`);
    w.write(1, `NotReadyAddresses:\t${addresses('notReadyAddresses')}`);
    const ports = recordsAt(subset, 'ports');
    if (ports.length > 0) {
      w.write(1, 'Ports:');
      w.write(2, 'Name\tPort\tProtocol');
      w.write(2, '----\t----\t--------');
      for (const port of ports)
        w.write(2, `${textAt(port, 'name') || '<unset>'}\t${textAt(port, 'port')}\t${textAt(port, 'protocol')}`);
    }
    w.raw('\n');
  }
  await writeEvents(w, object, tools);
};

export const describeEndpointSlice: Describer = async (object, w, tools) => {
  writeHead(w, object);
  w.write(0, `AddressType:\t${textAt(object, 'addressType')}`);
  const ports = recordsAt(object, 'ports');
  if (ports.length === 0) w.write(0, 'Ports: <unset>');
  else {
    w.write(0, 'Ports:');
    w.write(1, 'Name\tPort\tProtocol');
    w.write(1, '----\t----\t--------');
    for (const port of ports)
      w.write(
        1,
        `${textAt(port, 'name') || '<unset>'}\t${textAt(port, 'port') || '<unset>'}\t${textAt(port, 'protocol')}`,
      );
  }
  const endpoints = recordsAt(object, 'endpoints');
  if (endpoints.length === 0) w.write(0, 'Endpoints: <none>');
  else w.write(0, 'Endpoints:');
  for (const endpoint of endpoints) {
    w.write(1, `- Addresses:\t${textsAt(endpoint, 'addresses').join(', ')}`);
    w.write(2, 'Conditions:');
    const ready = recordAt(endpoint, 'conditions')['ready'];
    w.write(3, `Ready:\t${ready === undefined ? '<unset>' : ready}`);
    w.write(2, `Hostname:\t${textAt(endpoint, 'hostname') || '<unset>'}`);
    const target = recordAt(endpoint, 'targetRef');
    if (textAt(target, 'name') !== '') w.write(2, `TargetRef:\t${textAt(target, 'kind')}/${textAt(target, 'name')}`);
    w.write(2, `NodeName:\t${textAt(endpoint, 'nodeName') || '<unset>'}`);
    w.write(2, `Zone:\t${textAt(endpoint, 'zone') || '<unset>'}`);
  }
  await writeEvents(w, object, tools);
};

export const describeIngress: Describer = async (object, w, tools) => {
  const spec = recordAt(object, 'spec');
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  const addresses = recordsAt(object, 'status', 'loadBalancer', 'ingress').map(
    (one) => textAt(one, 'ip') || textAt(one, 'hostname'),
  );
  w.write(0, `Address:\t${addresses.join(',')}`);
  w.write(0, `Ingress Class:\t${textAt(spec, 'ingressClassName') || '<none>'}`);
  const namespace = textAt(object, 'metadata', 'namespace');
  const fallback = recordAt(spec, 'defaultBackend');
  w.write(
    0,
    `Default backend:\t${Object.keys(fallback).length === 0 ? '<default>' : await backendText(fallback, namespace, tools)}`,
  );
  const tls = recordsAt(spec, 'tls');
  if (tls.length > 0) {
    w.write(0, 'TLS:');
    for (const one of tls) {
      const secret = textAt(one, 'secretName');
      const hosts = textsAt(one, 'hosts').join(',');
      w.write(1, secret === '' ? `SNI routes ${hosts}` : `${secret} terminates ${hosts}`);
    }
  }
  w.write(0, 'Rules:');
  w.write(1, 'Host\tPath\tBackends');
  w.write(1, '----\t----\t--------');
  const rules = recordsAt(spec, 'rules').filter((rule) => rule['http']);
  for (const rule of rules) {
    w.write(1, `${textAt(rule, 'host') || '*'}\t`);
    for (const path of recordsAt(rule, 'http', 'paths'))
      w.write(2, `\t${textAt(path, 'path')} \t${await backendText(recordAt(path, 'backend'), namespace, tools)}`);
  }
  if (rules.length === 0 && Object.keys(fallback).length > 0)
    w.write(1, `*\t*\t${await backendText(fallback, namespace, tools)}`);
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
  await writeEvents(w, object, tools);
};

/** A backend and the addresses behind it. */
async function backendText(backend: Fields, namespace: string, tools: DescribeTools): Promise<string> {
  const resource = recordAt(backend, 'resource');
  if (Object.keys(resource).length > 0)
    return `APIGroup: ${textAt(resource, 'apiGroup') || '<none>'}, Kind: ${textAt(resource, 'kind')}, Name: ${textAt(resource, 'name')}`;
  const name = textAt(backend, 'service', 'name');
  const port = textAt(backend, 'service', 'port', 'name') || textAt(backend, 'service', 'port', 'number');
  try {
    const service = await ask(tools, `/api/v1/namespaces/${namespace}/services/${name}`);
    const portName = recordsAt(service, 'spec', 'ports').find(
      (one) => textAt(one, 'name') === port || textAt(one, 'port') === port,
    );
    return `${name}:${port} (${endpointsText(await slicesOf(service, tools), textAt(portName, 'name'))})`;
  } catch (error) {
    return `${name}:${port} (<error: ${isNotFound(error) ? `services ${JSON.stringify(name)} not found` : (error as Error).message}>)`;
  }
}

export const describeIngressClass: Describer = async (object, w, tools) => {
  writeHead(w, object, { namespaced: false });
  w.write(0, `Controller:\t${textAt(object, 'spec', 'controller')}`);
  const parameters = recordAt(object, 'spec', 'parameters');
  if (Object.keys(parameters).length > 0) {
    w.write(0, 'Parameters:');
    w.optional(1, 'APIGroup', textAt(parameters, 'apiGroup'));
    w.write(1, `Kind:\t${textAt(parameters, 'kind')}`);
    w.write(1, `Name:\t${textAt(parameters, 'name')}`);
  }
  await writeEvents(w, object, tools);
};

export const describeNetworkPolicy: Describer = (object, w) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  w.write(
    0,
    `Created on:\t${textAt(object, 'metadata', 'creationTimestamp').replace('T', ' ').replace('Z', ' +0000 UTC')}`,
  );
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
  const spec = recordAt(object, 'spec');
  const types = textsAt(spec, 'policyTypes');
  w.write(0, 'Spec:');
  const selector = formatSelector(recordAt(spec, 'podSelector'));
  w.write(1, `PodSelector:     ${selector || '<none> (Allowing the specific traffic to all pods in this namespace)'}`);
  for (const [type, word, field, peers] of [
    ['Ingress', 'ingress', 'ingress', 'from'],
    ['Egress', 'egress', 'egress', 'to'],
  ] as const) {
    if (!types.includes(type)) w.write(1, `Not affecting ${word} traffic`);
    else {
      w.write(1, `Allowing ${word} traffic:`);
      writePolicyRules(w, recordsAt(spec, field), { word, peers });
    }
  }
  w.write(1, `Policy Types: ${types.join(', ')}`);
};

function writePolicyRules(
  w: DescribeWriter,
  rules: readonly Fields[],
  { word, peers }: { word: string; peers: string },
): void {
  if (rules.length === 0) w.write(2, `<none> (Selected pods are isolated for ${word} connectivity)`);
  const title = peers === 'from' ? 'From' : 'To';
  const restricted = peers === 'from' ? 'source' : 'destination';
  rules.forEach((rule, i) => {
    const ports = recordsAt(rule, 'ports');
    if (ports.length === 0) w.write(2, 'To Port: <any> (traffic allowed to all ports)');
    for (const port of ports) {
      const [number, end] = [textAt(port, 'port') || '<any>', textAt(port, 'endPort')];
      const range = end === '' ? `To Port: ${number}` : `To Port Range: ${number}-${end}`;
      w.write(2, `${range}/${textAt(port, 'protocol') || 'TCP'}`);
    }
    const list = recordsAt(rule, peers);
    if (list.length === 0) w.write(2, `${title}: <any> (traffic not restricted by ${restricted})`);
    for (const peer of list) writePeer(w, title, peer);
    if (i < rules.length - 1) w.write(2, '----------');
  });
}

function writePeer(w: DescribeWriter, title: string, peer: Fields): void {
  w.write(2, `${title}:`);
  const selector = (field: string) => formatSelector(recordAt(peer, field)) || '<none>';
  if (peer['podSelector'] && peer['namespaceSelector']) {
    w.write(3, `NamespaceSelector: ${selector('namespaceSelector')}`);
    w.write(3, `PodSelector: ${selector('podSelector')}`);
  } else if (peer['podSelector']) w.write(3, `PodSelector: ${selector('podSelector')}`);
  else if (peer['namespaceSelector']) w.write(3, `NamespaceSelector: ${selector('namespaceSelector')}`);
  else if (peer['ipBlock']) {
    w.write(3, 'IPBlock:');
    w.write(4, `CIDR: ${textAt(peer, 'ipBlock', 'cidr')}`);
    w.write(4, `Except: ${textsAt(peer, 'ipBlock', 'except').join(', ')}`);
  }
}
