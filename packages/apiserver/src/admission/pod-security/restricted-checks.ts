import type { Volume } from '@coracle/api';
import { type Check, containersOf, isWindows, namesOf, plural, quotedList, settersOf, sortedSet } from './check.js';

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
  'image',
] as const;

/** The hardening checks that `restricted` adds to `baseline`. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    since: 8,
    check(_metadata, spec) {
      if (isWindows(spec)) return undefined;
      const bad = containersOf(spec).filter(
        ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
      );
      if (bad.length === 0) return undefined;
      return {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${namesOf(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
    },
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: 22,
    check(_metadata, spec) {
      if (isWindows(spec)) return undefined;
      const containers = containersOf(spec);
      const keeps = containers.filter(({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
      const forbiddenIn = (add: readonly string[] = []) => add.filter((name) => name !== 'NET_BIND_SERVICE');
      const adds = containers.filter(
        ({ securityContext }) => forbiddenIn(securityContext?.capabilities?.add).length > 0,
      );
      if (keeps.length + adds.length === 0) return undefined;
      const added = [
        ...new Set(adds.flatMap(({ securityContext }) => forbiddenIn(securityContext?.capabilities?.add))),
      ].sort();
      const faults = [
        ...(keeps.length > 0 ? [`${namesOf(keeps)} must set securityContext.capabilities.drop=["ALL"]`] : []),
        ...(adds.length > 0
          ? [`${namesOf(adds)} must not include ${quotedList(added)} in securityContext.capabilities.add`]
          : []),
      ];
      return { reason: 'unrestricted capabilities', detail: faults.join('; ') };
    },
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    check(_metadata, spec) {
      const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((kind) => volume[kind]));
      if (bad.length === 0) return undefined;
      const types = [...new Set(bad.map(volumeType))].sort();
      const uses = bad.length === 1 ? 'uses' : 'use';
      const detail = `${plural('volume', bad.length)} ${quotedList(bad.map(({ name }) => name))} ${uses} restricted volume ${plural('type', types.length)} ${quotedList(types)}`;
      return { reason: 'restricted volume types', detail };
    },
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    check(_metadata, spec) {
      const podValue = spec.securityContext?.runAsNonRoot;
      const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
      const unset = containersOf(spec).filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
      if (podValue === false || bad.length > 0) {
        const detail = `${settersOf(podValue === false, bad)} must not set securityContext.runAsNonRoot=false`;
        return { reason: 'runAsNonRoot != true', detail };
      }
      if (podValue === true || unset.length === 0) return undefined;
      return {
        reason: 'runAsNonRoot != true',
        detail: `pod or ${namesOf(unset)} must set securityContext.runAsNonRoot=true`,
      };
    },
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    since: 23,
    check(_metadata, spec) {
      const podBad = spec.securityContext?.runAsUser === 0;
      const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.runAsUser === 0);
      if (!podBad && bad.length === 0) return undefined;
      return { reason: 'runAsUser=0', detail: `${settersOf(podBad, bad)} must not set runAsUser=0` };
    },
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: 19,
    check(_metadata, spec) {
      if (isWindows(spec)) return undefined;
      const good = (type: string | undefined) => type === 'RuntimeDefault' || type === 'Localhost';
      const podType = spec.securityContext?.seccompProfile?.type;
      const bad = containersOf(spec).filter(
        ({ securityContext }) => securityContext?.seccompProfile && !good(securityContext.seccompProfile.type),
      );
      const unset = good(podType)
        ? []
        : containersOf(spec).filter(({ securityContext }) => !securityContext?.seccompProfile);
      const podBad = podType !== undefined && !good(podType);
      if (podBad || bad.length > 0) {
        const types = bad.map(({ securityContext }) => securityContext?.seccompProfile?.type ?? '');
        const values = sortedSet([...(podBad ? [podType] : []), ...types]);
        const must = `must not set securityContext.seccompProfile.type to ${quotedList(values)}`;
        return { reason: 'seccompProfile', detail: `${settersOf(podBad, bad)} ${must}` };
      }
      if (unset.length === 0) return undefined;
      const must = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
      return { reason: 'seccompProfile', detail: `pod or ${namesOf(unset)} ${must}` };
    },
  },
];

function volumeType(volume: Volume): string {
  return Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
}
