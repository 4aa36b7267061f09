import { refs } from '@coracle/api';
import { isAlreadyExists, notFound } from '@coracle/apimachinery';
import type { ObjectReader, ObjectWriter } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** Creates the namespace of an object if it does not exist. */
export function namespaceAutoProvision({
  objects,
  writer,
}: {
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
}): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    handles: ({ operation }) => operation === 'CREATE' || operation === 'UPDATE',
    concerns: isIn,
    async mutate({ namespace, dryRun }) {
      if (dryRun || objects.get(refs.namespaces, '', namespace)) return;
      await writer.create(refs.namespaces, { metadata: { name: namespace } }).catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    },
  };
}

/** Rejects objects in a namespace that does not exist. */
export function namespaceExists({ objects }: { readonly objects: ObjectReader }): AdmissionPlugin {
  return {
    name: 'NamespaceExists',
    handles: ({ operation }) => operation !== 'CONNECT',
    concerns: isIn,
    async validate({ namespace }) {
      if (objects.get(refs.namespaces, '', namespace)) return;
      if (!(await objects.getFresh(refs.namespaces, '', namespace)))
        throw notFound({ group: '', resource: 'namespaces' }, namespace);
    },
  };
}

function isIn({ namespace, kind }: AdmissionAttributes): boolean {
  return namespace !== '' && !(kind.group === '' && kind.kind === 'Namespace');
}
