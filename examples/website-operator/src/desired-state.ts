import type { ConfigMap, Deployment, Service } from 'coracle';
import type { Website } from './website.js';

/** The labels by which everything of a website is found. */
export function labelsOf({ metadata }: Website): Record<string, string> {
  return { 'app.kubernetes.io/name': 'website', 'app.kubernetes.io/instance': metadata.name ?? '' };
}

export function desiredPages(website: Website, current: ConfigMap): ConfigMap {
  return { ...current, metadata: labelled(website, current.metadata), data: { ...website.spec.pages } };
}

/** A hash of the pages is in the template, so that new pages are rolled out. */
export function desiredDeployment(website: Website, current: Deployment): Deployment {
  const { name = '' } = website.metadata;
  const { replicas, image, pages } = website.spec;
  const labels = labelsOf(website);
  return {
    ...current,
    metadata: labelled(website, current.metadata),
    spec: {
      ...current.spec,
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { 'example.org/pages': hashOf(pages) } },
        spec: {
          ...current.spec?.template?.spec,
          containers: [
            {
              ...current.spec?.template?.spec?.containers[0],
              name: 'server',
              image,
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              volumeMounts: [{ name: 'pages', mountPath: '/usr/share/nginx/html' }],
            },
          ],
          volumes: [{ name: 'pages', configMap: { defaultMode: 0o644, name } }],
        },
      },
    },
  };
}

export function desiredService(website: Website, current: Service): Service {
  return {
    ...current,
    metadata: labelled(website, current.metadata),
    spec: {
      ...current.spec,
      selector: labelsOf(website),
      ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }],
    },
  };
}

function labelled<Meta extends { labels?: Record<string, string> }>(website: Website, metadata: Meta): Meta {
  return { ...metadata, labels: { ...metadata.labels, ...labelsOf(website) } };
}

/** FNV-1a: it distinguishes pages, and is not cryptographic. */
export function hashOf(value: unknown): string {
  let hash = 0x811c9dc5;
  for (const char of JSON.stringify(value)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
