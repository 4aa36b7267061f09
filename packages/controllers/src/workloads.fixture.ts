/** What deployments and replica sets of tests have in common: so many pods of one small container. */
export function replicatedSpec(replicas: number, image: string) {
  const labels = { app: 'web' };
  return {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'c', image, resources: { requests: { cpu: '10m' } } }] },
    },
  };
}
