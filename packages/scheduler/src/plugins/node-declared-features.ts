import type { Node, Pod } from '@coracle/api';
import { stateKey } from '../framework/cycle-state.js';
import type { FilterPlugin, PreFilterPlugin } from '../framework/plugin.js';
import { fits, unschedulableAndUnresolvable } from '../framework/verdict.js';

/**
 * Feature → whether a pod needs a kubelet with it. Features that matter only to changes of running pods are not
 * included.
 */
const needs: Readonly<Record<string, (pod: Pod) => boolean>> = {
  RestartAllContainersOnContainerExits: ({ spec }) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ restartPolicyRules }) =>
      restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
    ),
  UserNamespacesHostNetworkSupport: ({ spec }) => spec?.hostNetwork === true && spec.hostUsers === false,
};

const needsKey = stateKey<readonly string[]>('NodeDeclaredFeatures/needs');

function neededBy(pod: Pod): string[] {
  return Object.keys(needs).filter((feature) => needs[feature]?.(pod));
}

function lacking(features: readonly string[], { status }: Node): string[] {
  return features.filter((feature) => !status?.declaredFeatures?.includes(feature));
}

/** Filters out nodes whose kubelets do not declare the features that the pod needs. */
export const nodeDeclaredFeatures: PreFilterPlugin & FilterPlugin = {
  name: 'NodeDeclaredFeatures',
  wakesOn: [
    {
      event: 'node-added',
      helps: (event, { pod }) => event.kind === 'node-added' && lacking(neededBy(pod), event.node).length === 0,
    },
    {
      event: 'node-updated',
      helps: (event, { pod }) =>
        event.kind === 'node-updated' &&
        lacking(neededBy(pod), event.node).length === 0 &&
        lacking(neededBy(pod), event.previous).length > 0,
    },
  ],
  preFilter(state, { pod }) {
    const features = neededBy(pod);
    if (features.length === 0) return { kind: 'skip' };
    state.write(needsKey, features);
    return { kind: 'ready' };
  },
  filter(state, _pod, { node }) {
    const missing = lacking(state.read(needsKey) ?? [], node);
    if (missing.length === 0) return fits;
    return unschedulableAndUnresolvable(
      `node declared features check failed - unsatisfied requirements: ${missing.join(', ')}`,
    );
  },
};
