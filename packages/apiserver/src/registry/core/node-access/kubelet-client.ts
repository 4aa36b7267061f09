import type { Node } from '@coracle/api';
import {
  type ApiRequest,
  acceptsValues,
  type CommandStreams,
  openCommand,
  type StatusError,
  serviceUnavailable,
} from '@coracle/apimachinery';
import { type MaybePromise, messageOf } from '@coracle/base';
import { type DialAddress, DialError, type Dialer, type OutboundTls } from '../../../outbound/dialer.js';
import type { NodeConnector } from './node-connector.js';

/** How the server connects to kubelets, as set by the flags of kube-apiserver. */
export interface KubeletClientOptions {
  readonly dialer: Dialer;
  /** Address types of nodes, in order of preference. */
  readonly preferredAddressTypes?: readonly string[];
  /**
   * Client certificate and key for kubelets, and the CA that verifies theirs; read when they are
   * needed.
   */
  readonly tls?: () => MaybePromise<OutboundTls>;
  /** The port of kubelets that do not report one. */
  readonly defaultPort?: number;
}

const defaultAddressTypes: readonly string[] = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

const kubeletPort = 10250;

/** Connects to any kubelet over HTTPS, at the address and port in the status of its node. */
export function kubeletClient(options: KubeletClientOptions): NodeConnector {
  const { dialer } = options;
  return {
    request: async (node, request) =>
      dialer.request(await addressOf(node, options), encodedAnswer(request)).catch(unreachable),
    connect: async (node, request, protocols) => {
      const address = await addressOf(node, options);
      const open = (offered: readonly string[]) => dialer.connect(address, request, offered).catch(unreachable);
      return isCommand.test(request.path)
        ? openCommand(open, protocols, wantedStreams(request.query))
        : open(protocols);
    },
  };
}

/** Only a kubelet in this process answers with values: a remote one must not get the marker. */
function encodedAnswer<T extends { readonly headers: ApiRequest['headers'] }>(request: T): T {
  if (request.headers[acceptsValues] === undefined) return request;
  const { [acceptsValues]: _, ...headers } = request.headers;
  return { ...request, headers };
}

const isCommand = /^\/(exec|attach)\//;

function wantedStreams(query: string): CommandStreams {
  const flags = new URLSearchParams(query);
  const isSet = (name: string) => flags.get(name) === '1';
  const tty = isSet('tty');
  return { stdin: isSet('input'), stdout: isSet('output'), stderr: isSet('error') && !tty, tty };
}

/** Without a CA, the certificate of a kubelet is not verified, because it is often self-signed. */
async function addressOf(node: Node, options: KubeletClientOptions): Promise<DialAddress> {
  const { defaultPort = kubeletPort, tls } = options;
  const settings = (await tls?.()) ?? {};
  return {
    scheme: 'https',
    host: preferredAddress(node, options.preferredAddressTypes ?? defaultAddressTypes),
    port: node.status?.daemonEndpoints?.kubeletEndpoint?.Port || defaultPort,
    tls: settings.caBundle === undefined ? { ...settings, insecureSkipVerify: true } : settings,
  };
}

function preferredAddress({ metadata, status }: Node, types: readonly string[]): string {
  const addresses = status?.addresses ?? [];
  for (const type of types) {
    const found = addresses.find((one) => one.type === type && one.address !== '');
    if (found) return found.address;
  }
  const present = addresses.map(({ type }) => type).join(', ');
  throw serviceUnavailable(
    `error dialing backend: no preferred addresses found for node ${JSON.stringify(metadata.name)}; known addresses: [${present}]`,
  );
}

function unreachable(error: unknown): never {
  throw error instanceof DialError ? failed(error) : error;
}

function failed(error: DialError): StatusError {
  return serviceUnavailable(`error dialing backend: ${messageOf(error)}`);
}
