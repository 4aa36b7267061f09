import type { KubeObject } from '@coracle/apimachinery';
import type { AnyKube } from './status-in-words.js';

export interface PreviewPort {
  readonly label: string;
  readonly port: number;
  readonly isTls: boolean;
}

interface DeclaredPort {
  readonly name?: string;
  readonly port?: number;
  readonly containerPort?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

/** The TCP ports that a pod or a service declares, each once. */
export function previewPortsOf(object: KubeObject): PreviewPort[] {
  const spec = (object as AnyKube).spec ?? {};
  const containers = (spec['containers'] ?? []) as { readonly ports?: readonly DeclaredPort[] }[];
  const declared = [...((spec['ports'] ?? []) as DeclaredPort[]), ...containers.flatMap(({ ports = [] }) => ports)];
  const found = new Map<number, PreviewPort>();
  for (const { name, port, containerPort, protocol = 'TCP', appProtocol } of declared) {
    const number = port ?? containerPort;
    if (number === undefined || protocol !== 'TCP' || found.has(number)) continue;
    const isTls = number === 443 || number === 8443 || /https/i.test(`${name} ${appProtocol}`);
    found.set(number, { label: name ? `${number} (${name})` : String(number), port: number, isTls });
  }
  return [...found.values()];
}

export interface PreviewTarget {
  readonly resource: 'pods' | 'services';
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly isTls: boolean;
  /** As typed into a browser; the part after `#` is never sent. */
  readonly path: string;
}

/** The path at which the API server passes requests on to a port. */
export function proxyPath({ resource, namespace, name, port, isTls, path }: PreviewTarget): string {
  const [sent = ''] = path.split('#');
  const target = `${isTls ? 'https:' : ''}${name}:${port}`;
  return `/api/v1/namespaces/${namespace}/${resource}/${target}/proxy/${sent.replace(/^\/+/, '')}`;
}

export type PreviewForm = 'page' | 'picture' | 'text';

/** How an answer is shown. What is not a page or a picture is text, whatever it holds. */
export function formOf(contentType: string): PreviewForm {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (type.trim() === 'text/html' || type.trim() === 'application/xhtml+xml') return 'page';
  return /^image\/(?!svg)/.test(type.trim()) ? 'picture' : 'text';
}
