import { createHash, randomInt, X509Certificate } from 'node:crypto';
import { refs } from '@coracle/api';
import { isAlreadyExists, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { kubeconfigWithoutUser } from '../kubeconfig.js';

/** The group of nodes that join with a token, as kubeadm names it. */
const group = 'system:bootstrappers:kubeadm:default-node-token';
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Options of a new bootstrap token. */
export interface TokenOptions {
  /** `id.secret`; a random one unless stated. */
  readonly token?: string;
  /** Its lifetime; 0 for no expiry. */
  readonly ttlMs: number;
  readonly now: number;
  readonly server: string;
  readonly caCertificate: string;
}

/** Creates a bootstrap token, and the parameters for joining the cluster. */
export async function createBootstrapToken(client: Client, options: TokenOptions): Promise<string> {
  const token = options.token ?? `${randomText(6)}.${randomText(16)}`;
  const { id, secret } = checkBootstrapToken(token);
  await allowJoining(client);
  await publishClusterInfo(client, options);
  await client.secrets('kube-system').create({
    metadata: { name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': group,
      description: 'made by coracle token create',
      ...(options.ttlMs > 0 && {
        expiration: new Date(options.now + options.ttlMs).toISOString().replace(/\.\d+/, ''),
      }),
    },
  });
  return token;
}

/** The parts of a bootstrap token. Throws if it has not the form of one. */
export function checkBootstrapToken(token: string): { readonly id: string; readonly secret: string } {
  const match = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token);
  if (!match)
    throw new Error(`the bootstrap token ${JSON.stringify(token)} is not of the form [a-z0-9]{6}.[a-z0-9]{16}`);
  const [, id = '', secret = ''] = match;
  return { id, secret };
}

/** Hash of the CA's public key, with which a machine that joins verifies the cluster. */
export function caCertificateHash(caCertificate: string): string {
  const key = new X509Certificate(caCertificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function randomText(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}

const bindings = {
  'kubeadm:kubelet-bootstrap': ['system:node-bootstrapper', group],
  'kubeadm:node-autoapprove-bootstrap': ['system:certificates.k8s.io:certificatesigningrequests:nodeclient', group],
  'kubeadm:node-autoapprove-certificate-rotation': [
    'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    'system:nodes',
  ],
} as const;

const rbac = 'rbac.authorization.k8s.io';

async function allowJoining(client: Client): Promise<void> {
  for (const [name, [role, subject]] of Object.entries(bindings))
    await ensure(client, refs.clusterRoleBindings, {
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: rbac, kind: 'Group', name: subject }],
    });
}

/** The ConfigMap cluster-info, with the address and the CA of the cluster, can be read anonymously. */
async function publishClusterInfo(client: Client, { server, caCertificate }: TokenOptions): Promise<void> {
  const metadata = { name: 'cluster-info', namespace: 'kube-public' };
  const kubeconfig = kubeconfigWithoutUser({ server, caCertificate });
  await ensure(client, refs.configMaps, { metadata, data: { kubeconfig } });
  await client.configMaps('kube-public').patch('cluster-info', { data: { kubeconfig } }, { type: 'merge' });
  const name = 'kubeadm:bootstrap-signer-clusterinfo';
  await ensure(client, refs.roles, {
    metadata: { name, namespace: 'kube-public' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'], verbs: ['get'] }],
  });
  await ensure(client, refs.roleBindings, {
    metadata: { name, namespace: 'kube-public' },
    roleRef: { apiGroup: rbac, kind: 'Role', name },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'system:anonymous' }],
  });
}

async function ensure<T extends KubeObject>(client: Client, ref: ResourceRef<T>, object: T): Promise<void> {
  try {
    await client.resource(ref, object.metadata.namespace).create(object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
