import { type Pod, refs } from '@coracle/api';
import type { InformerFactory } from '@coracle/client';

const byNode = 'node-name';

/** Indexes pods by node. */
export function indexPodsByNode(informers: InformerFactory): void {
  informers.for(refs.pods).addIndex(byNode, nodeNameOf);
}

export function podsOnNode(informers: InformerFactory, nodeName: string): readonly Pod[] {
  return informers.for(refs.pods).byIndex(byNode, nodeName);
}

function nodeNameOf({ spec }: Pod): readonly string[] {
  return spec?.nodeName ? [spec.nodeName] : [];
}
