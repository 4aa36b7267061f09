import type { storagev1 } from '@coracle/api';

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The newest default class; of equally old ones, the first by name. */
export function defaultClassOf(classes: readonly storagev1.StorageClass[]): string | undefined {
  const marked = classes.filter(({ metadata }) =>
    defaultAnnotations.some((key) => metadata.annotations?.[key] === 'true'),
  );
  return marked.sort(newestFirst)[0]?.metadata.name;
}

function newestFirst({ metadata: a }: storagev1.StorageClass, { metadata: b }: storagev1.StorageClass): number {
  const [first, second] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (first !== second) return first > second ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
