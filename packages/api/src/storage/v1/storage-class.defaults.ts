import type { StorageClass } from '../../generated/types/storage-v1.js';

export function setStorageClassDefaults(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= 'Delete';
  storageClass.volumeBindingMode ??= 'Immediate';
}
