import type { Deployment, Pod } from '@coracle/api';

export interface DeploymentShape {
  readonly name?: string;
  readonly replicas: number;
  readonly image?: string;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
}

/** A Deployment of pods with one container each. */
export function makeDeployment(shape: DeploymentShape): Deployment {
  const { name = 'web', replicas, image = 'nginx:1', maxSurge = '25%', maxUnavailable = '25%' } = shape;
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
    },
  };
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

export function isStaying({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

export function imageOf({ spec }: Pod): string | undefined {
  return spec?.containers[0]?.image;
}
