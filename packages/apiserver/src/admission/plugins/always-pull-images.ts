import type { Container, Pod, PodSpec } from '@coracle/api';
import { aggregate, FieldPath, forbidden, formatFieldError, notSupportedField } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { aboutPods } from './about-pods.js';

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * Every image is pulled again, so that a pod cannot use an image cached on the node that it has no credentials to pull.
 */
export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: (kind) => aboutPods(kind, 'CREATE', 'UPDATE'),
  concerns: hasNewImages,
  mutate({ object }) {
    const pod = object as Pod;
    return pod.spec && { ...pod, spec: pullingAlways(pod.spec) };
  },
  validate({ resource, name, object }) {
    const errors = containersOf((object as Pod).spec)
      .filter(({ container }) => container.imagePullPolicy !== 'Always')
      .map(({ container, path }) => {
        const error = notSupportedField(path.child('imagePullPolicy'), container.imagePullPolicy ?? '', ['Always']);
        return formatFieldError(error);
      });
    if (errors.length > 0) throw forbidden(resource, name, aggregate(errors));
  },
};

function pullingAlways(spec: PodSpec): PodSpec {
  const { volumes } = spec;
  return {
    ...spec,
    ...Object.fromEntries(
      lists.flatMap((list) => {
        const containers = spec[list];
        return containers ? [[list, containers.map((one) => ({ ...one, imagePullPolicy: 'Always' }))]] : [];
      }),
    ),
    ...(volumes && {
      volumes: volumes.map((volume) =>
        volume.image ? { ...volume, image: { ...volume.image, pullPolicy: 'Always' } } : volume,
      ),
    }),
  };
}

function containersOf(spec: PodSpec | undefined): { readonly container: Container; readonly path: FieldPath }[] {
  const root = FieldPath.of('spec');
  return lists.flatMap((list) =>
    (spec?.[list] ?? []).map((container, index) => ({ container, path: root.child(list).index(index) })),
  );
}

/** Pods that exist keep their pull policies, unless an update changes an image. */
function hasNewImages({ operation, object, oldObject }: AdmissionAttributes): boolean {
  if (operation === 'CREATE') return true;
  const images = (pod: Pod) =>
    lists.flatMap((list) => (pod.spec?.[list] ?? []).map(({ name, image }) => `${list} ${name} ${image}`));
  const oldImages = new Set(images(oldObject as Pod));
  return images(object as Pod).some((image) => !oldImages.has(image));
}
