import type { GroupResource } from '@coracle/apimachinery';

/** The prefix of every object of the cluster, as in the etcd of a kube-apiserver. */
export const storageRoot = '/registry/';

/** Resources whose prefix is not their own name. */
const specialPrefixes: Readonly<Record<string, string>> = {
  '/replicationcontrollers': 'controllers',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
};

/** The prefix of the objects of a built-in resource, with the closing slash. */
export function storagePrefix({ group, resource }: GroupResource): string {
  return `${storageRoot}${specialPrefixes[`${group}/${resource}`] ?? resource}/`;
}
