import { forbidden } from '@coracle/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

/** Admits everything. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => false };

/** Rejects every write, for tests. */
export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  handles: () => true,
  mutate: refuse,
  validate: refuse,
};

function refuse({ resource, name }: AdmissionAttributes): never {
  throw forbidden(resource, name, 'admission control is denying all modifications');
}
