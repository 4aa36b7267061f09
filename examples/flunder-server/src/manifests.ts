import { group } from './flunder.js';

/** The objects that register the group with the cluster. */
export function manifests({ caBundle, port }: { readonly caBundle: string; readonly port: number }): object[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'wardle' } },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1.${group}` },
      spec: {
        group,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: 'wardle', name: 'api', port },
        caBundle: Buffer.from(caBundle).toString('base64'),
      },
    },
  ];
}

/** A service that leads to this machine. In a cluster with real pods it selects those that run the server. */
export const localService: object = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'api', namespace: 'wardle' },
  spec: { type: 'ExternalName', externalName: 'localhost' },
};
