import type { Node } from '../../generated/types/core-v1.js';

/** Fields of nodes that are not used any more. */
export function nodeWarnings({ spec }: Node): string[] {
  return [
    ...(spec?.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ];
}
