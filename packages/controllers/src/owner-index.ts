import { controllerOf, type KubeObject } from '@coracle/apimachinery';
import type { SharedInformer } from '@coracle/client';

const byController = 'controller-uid';
const orphans = 'orphans-in-namespace';

/** Indexes dependents by their controller. Informers are shared, so several controllers may request it. */
export function indexByOwner<T extends KubeObject>(informer: SharedInformer<T>): void {
  informer.addIndex(byController, controllerUids);
  informer.addIndex(orphans, orphanNamespaces);
}

/** Objects whose controller has this uid. */
export function dependentsOf<T extends KubeObject>(informer: SharedInformer<T>, uid: string): readonly T[] {
  return informer.byIndex(byController, uid);
}

/** The same, and objects of the namespace without a controller, which might be adopted. */
export function claimable<T extends KubeObject>(informer: SharedInformer<T>, { metadata }: KubeObject): T[] {
  return [...dependentsOf(informer, metadata.uid ?? ''), ...informer.byIndex(orphans, metadata.namespace ?? '')];
}

function controllerUids(object: KubeObject): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

function orphanNamespaces(object: KubeObject): readonly string[] {
  return controllerOf(object) ? [] : [object.metadata.namespace ?? ''];
}
