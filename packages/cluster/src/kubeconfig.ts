import { chmod, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '@coracle/platform-nodejs';

export interface KubeconfigParts {
  readonly server: string;
  readonly caCertificate: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

/** A kubeconfig for one cluster and one user, as YAML (JSON is YAML too, and every client reads it). */
export function kubeconfigFor({ server, caCertificate, clientCertificate, clientKey }: KubeconfigParts): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: coracle',
    '  cluster:',
    `    certificate-authority-data: ${base64(caCertificate)}`,
    `    server: ${server}`,
    'users:',
    '- name: kubernetes-admin',
    '  user:',
    `    client-certificate-data: ${base64(clientCertificate)}`,
    `    client-key-data: ${base64(clientKey)}`,
    'contexts:',
    '- name: coracle',
    '  context:',
    '    cluster: coracle',
    '    user: kubernetes-admin',
    'current-context: coracle',
    '',
  ].join('\n');
}

/** Server URL and CA of a cluster, without credentials. An empty CA is left out: that of the machine counts. */
export function kubeconfigWithoutUser({
  server,
  caCertificate,
}: Pick<KubeconfigParts, 'server' | 'caCertificate'>): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: kubernetes',
    '  cluster:',
    ...(caCertificate ? [`    certificate-authority-data: ${Buffer.from(caCertificate).toString('base64')}`] : []),
    `    server: ${server}`,
    '',
  ].join('\n');
}

export interface NodeKubeconfigParts extends Pick<KubeconfigParts, 'server' | 'caCertificate'> {
  readonly nodeName: string;
  /** Holds the certificate and its key, and is replaced when they are. */
  readonly certificateFile: string;
}

/** The kubeconfig of a kubelet, whose certificate is in a file that changes. */
export function nodeKubeconfig({ server, caCertificate, nodeName, certificateFile }: NodeKubeconfigParts): string {
  return [
    kubeconfigWithoutUser({ server, caCertificate }).trimEnd(),
    'users:',
    `- name: system:node:${nodeName}`,
    '  user:',
    `    client-certificate: ${certificateFile}`,
    `    client-key: ${certificateFile}`,
    'contexts:',
    '- name: default',
    '  context:',
    '    cluster: kubernetes',
    `    user: system:node:${nodeName}`,
    'current-context: default',
    '',
  ].join('\n');
}

/** It contains the administrator's key, so only its owner may read it. Replaced atomically. */
export async function writeKubeconfig(file: string, text: string): Promise<void> {
  await makeDirectory(dirname(file));
  const next = `${file}.new`;
  await writeFile(next, text, { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}
