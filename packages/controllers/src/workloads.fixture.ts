/** The common spec of workloads in tests: a number of pods with one small container. */
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
