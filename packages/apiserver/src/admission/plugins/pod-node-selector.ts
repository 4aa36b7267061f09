import { type Pod, refs } from '@coracle/api';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';
import { refusal } from '../refusal.js';
import { aboutPods } from './about-pods.js';

const annotation = 'scheduler.alpha.kubernetes.io/node-selector';

type Labels = Readonly<Record<string, string>>;

/** The node labels that pods of each namespace may select, and the default for namespaces without the annotation. */
export type NodeSelectorConfig = Readonly<Record<string, string>>;

/** Restricts the node selectors of pods to those of their namespace. */
export function podNodeSelector(
  { objects }: { readonly objects: ObjectReader },
  config: NodeSelectorConfig = {},
): AdmissionPlugin {
  const ofNamespace = (namespace: string): Labels => {
    const stated = objects.get(refs.namespaces, '', namespace)?.metadata.annotations?.[annotation];
    return parseLabels(stated ?? config['clusterDefaultNodeSelector'] ?? '');
  };
  const refuseConflict = (attributes: AdmissionAttributes) => {
    const { namespace, object } = attributes;
    const nodeSelector = (object as Pod).spec?.nodeSelector ?? {};
    const namespaceSelector = ofNamespace(namespace);
    if (
      !Object.entries(namespaceSelector).some(
        ([key, value]) => nodeSelector[key] !== undefined && nodeSelector[key] !== value,
      )
    )
      return;
    throw refusal(attributes, 'pod node label selector conflicts with its namespace node label selector');
  };
  return {
    name: 'PodNodeSelector',
    handles: (attributes) => aboutPods(attributes, 'CREATE'),
    mutate(attributes) {
      refuseConflict(attributes);
      const pod = attributes.object as Pod;
      const { spec } = pod;
      const namespaceSelector = ofNamespace(attributes.namespace);
      if (!spec || Object.keys(namespaceSelector).length === 0) return undefined;
      return { ...pod, spec: { ...spec, nodeSelector: { ...namespaceSelector, ...spec.nodeSelector } } };
    },
    validate(attributes) {
      refuseConflict(attributes);
      const { namespace, object } = attributes;
      const allowed = parseLabels(config[namespace] ?? '');
      if (Object.keys(allowed).length === 0) return;
      const nodeSelector = Object.entries((object as Pod).spec?.nodeSelector ?? {});
      if (nodeSelector.every(([key, value]) => allowed[key] === value)) return;
      throw refusal(attributes, 'pod node label selector labels conflict with its namespace whitelist');
    },
  };
}

/** `a=b,c=d`; invalid pairs are ignored. */
function parseLabels(text: string): Labels {
  const pairs = text.split(',').map((pair) => pair.split('=').map((part) => part.trim()));
  return Object.fromEntries(pairs.filter(([key]) => key).map(([key = '', value = '']) => [key, value]));
}
