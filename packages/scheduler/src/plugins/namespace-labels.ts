import { refs } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';

/** The labels of namespaces, which affinity terms select. */
export interface NamespaceLabels {
  labelsOf(namespace: string): Readonly<Record<string, string>>;
  /** Changes when the labels of any namespace have changed: counts that depend on them are stale. */
  version(): number;
}

export function followNamespaceLabels(informers: InformerFactory): NamespaceLabels {
  const namespaces = informers.for(refs.namespaces);
  let version = 0;
  namespaces.addHandler((event) => {
    if (event.type !== 'updated' || !deepEqual(event.object.metadata.labels, event.previous.metadata.labels)) version++;
  });
  return { labelsOf: (name) => namespaces.get(name)?.metadata.labels ?? {}, version: () => version };
}
