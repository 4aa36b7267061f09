import { refs } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';

/** The labels of namespaces, by which affinity terms may select them. */
export interface NamespaceLabels {
  labelsOf(namespace: string): Readonly<Record<string, string>>;
  /** Another one whenever the labels of any namespace have changed: what was counted by them is out of date. */
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
