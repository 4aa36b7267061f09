import type {
  ClusterRole,
  ClusterRoleBinding,
  Container,
  Deployment,
  Namespace,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
} from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';

/** Options of an operator's workload. */
export interface OperatorWorkloadOptions {
  readonly image: string;
  /** Its permissions; see `operatorRole`. */
  readonly role: ClusterRole;
  /** Its own: the operator's name and `-system` unless stated. */
  readonly namespace?: string;
}

const ports = { metrics: 8080, health: 8081 };
const rbac = 'rbac.authorization.k8s.io';

/**
 * What runs an operator in a cluster, as manifests: a namespace, an account with its roles, the deployment, and a service
 * for its metrics. The operator finds its namespace in `POD_NAMESPACE` and where to listen in `LISTEN_HOST`, and is to serve
 * health at port 8081 and metrics at 8080.
 */
export function operatorWorkload(name: string, { image, role, ...options }: OperatorWorkloadOptions): KubeObject[] {
  const { namespace = `${name}-system` } = options;
  const labels = { 'app.kubernetes.io/name': name };
  const at = (suffix = '') => ({ name: `${name}${suffix}`, namespace, labels });
  const home: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
  const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at() };
  const deployment: Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: at(),
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: 10,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [operatorContainer(image)],
        },
      },
    },
  };
  const metrics: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: at('-metrics'),
    spec: { selector: labels, ports: [{ name: 'metrics', port: ports.metrics, targetPort: 'metrics' }] },
  };
  return [home, account, role, ...bindings(name, namespace, role), deployment, metrics];
}

/** Meets the strictest of the pod security standards. */
function operatorContainer(image: string): Container {
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  return {
    name: 'operator',
    image,
    env: [
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'LISTEN_HOST', value: '0.0.0.0' },
    ],
    ports: Object.entries(ports).map(([port, containerPort]) => ({ name: port, containerPort })),
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 5, periodSeconds: 10 },
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** The role holds everywhere; the right to be elected, in the operator's own namespace alone. */
function bindings(name: string, namespace: string, role: ClusterRole): KubeObject[] {
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const everywhere: ClusterRoleBinding = {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role.metadata.name ?? '' },
    subjects,
  };
  const metadata = { name: `${name}-leader-election`, namespace };
  const election: Role = {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata,
    rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] }],
  };
  const elected: RoleBinding = {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'Role', name: metadata.name },
    subjects,
  };
  return [everywhere, election, elected];
}
