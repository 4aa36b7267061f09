import type { AdmissionChain } from '../admission/admission-chain.js';
import type { StoredObject } from '../storage/stored-object.js';
import { type Creation, createObject } from './create-object.js';
import { type Deleted, type Deletion, deleteObject } from './delete-object.js';
import type { RegistryDependencies } from './registry-dependencies.js';
import { type Update, type Updated, updateObject } from './update-object.js';
import type { WriteRequest } from './write-request.js';

/** Every write of every resource goes through the registry. Objects are in the stored version of their resource. */
export class Registry {
  readonly deps: RegistryDependencies;

  constructor(deps: RegistryDependencies) {
    this.deps = deps;
  }

  /** Takes ownership of the object. */
  create(request: WriteRequest, creation: Creation): Promise<StoredObject> {
    return createObject(this.deps, request, creation);
  }

  update(request: WriteRequest, update: Update): Promise<Updated> {
    return updateObject(this.deps, request, update);
  }

  delete(request: WriteRequest, deletion: Deletion): Promise<Deleted> {
    return deleteObject(this.deps, request, deletion);
  }

  /** The same registry with another admission chain: writes of the server itself bypass admission. */
  withAdmission(admission: AdmissionChain): Registry {
    return new Registry({ ...this.deps, admission });
  }
}
