import { forbidden } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** Has nothing against anything. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => false };

/** Lets nothing be changed, for tests. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  mutate: refuse,
  validate: refuse,
};

function refuse({ resource, name }: AdmissionAttributes): never {
  throw forbidden(resource, name, 'admission control is denying all modifications');
}
