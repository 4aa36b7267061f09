import type { KubeObject } from '@coracle/apimachinery';
import type { Strategy } from '../strategy.js';
import { dropDisabledSliceFields } from './disabled-device-fields.js';

interface ResourceSlice extends KubeObject {
  readonly spec?: { readonly nodeName?: string; readonly driver?: string };
}

/** Kubelets watch the slices of their own node. */
export const resourceSliceStrategy: Strategy<ResourceSlice> = {
  hasGeneration: true,
  dropDisabled: dropDisabledSliceFields,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
    'spec.driver': ({ spec }) => spec?.driver ?? '',
  },
};
