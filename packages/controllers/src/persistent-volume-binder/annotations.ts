/** The binding of the claim is complete: if its volume is missing from now on, the claim is lost. */
export const bindCompleted = 'pv.kubernetes.io/bind-completed';
/** The controller made the binding, so it may undo it. */
export const boundByController = 'pv.kubernetes.io/bound-by-controller';
/** The driver that provisioned a volume, and deletes it. */
export const provisionedBy = 'pv.kubernetes.io/provisioned-by';
/** The node that the scheduler has chosen for the first consumer of a claim. */
export const selectedNode = 'volume.kubernetes.io/selected-node';
/** The provisioner of a volume: the annotation and its beta name. */
export const storageProvisioner = 'volume.kubernetes.io/storage-provisioner';
export const legacyStorageProvisioner = 'volume.beta.kubernetes.io/storage-provisioner';
