import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type {
  Container,
  Pod,
  PodCertificateProjection,
  PodSpec,
  Volume,
  VolumeProjection,
} from '../../generated/types/core-v1.js';
import { setPodDefaults } from './pod.defaults.js';
import { validatePod } from './pod.validation.js';

function errorsOf(spec: Partial<PodSpec>, annotations: Record<string, string> = {}): string[] {
  const pod: Pod = {
    metadata: { name: 'p', annotations },
    spec: { containers: [{ name: 'c', image: 'nginx:1.27' }], serviceAccountName: 'default', ...spec },
  };
  setPodDefaults(pod);
  return validatePod(pod).map(formatFieldError);
}

const ofContainer = (container: Partial<Container>, spec: Partial<PodSpec> = {}) =>
  errorsOf({ ...spec, containers: [{ name: 'c', image: 'nginx:1.27', ...container }] });
const asking: Container = { name: 'c', image: 'a', resources: { requests: { cpu: '100m' } } };
const ofVolume = (volume: Partial<Volume>) => errorsOf({ volumes: [{ name: 'v', ...volume }] });

describe('validation of a pod spec', () => {
  it.each<{ name: string; spec: Partial<PodSpec>; errors: string[] }>([
    { name: 'a plain pod is right', spec: {}, errors: [] },
    { name: 'there must be a container', spec: { containers: [] }, errors: ['spec.containers: Required value'] },
    {
      name: 'names of containers differ',
      spec: {
        containers: [
          { name: 'c', image: 'a' },
          { name: 'c', image: 'b' },
        ],
      },
      errors: ['spec.containers[1].name: Duplicate value: "c"'],
    },
    {
      name: 'policies are of those that there are, in the order of upstream',
      spec: { restartPolicy: 'x', dnsPolicy: 'y' },
      errors: [
        'spec.restartPolicy: Unsupported value: "x": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "y": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
      ],
    },
    {
      name: 'without cluster DNS there must be a server',
      spec: { dnsPolicy: 'None' },
      errors: ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    },
    {
      name: 'settings of a namespace of the kernel need that namespace',
      spec: {
        hostIPC: true,
        hostNetwork: true,
        securityContext: {
          sysctls: [
            { name: 'kernel.shm_rmid_forced', value: '1' },
            { name: 'net/ipv4/ip_forward', value: '1' },
            { name: 'kernel.hostname', value: 'a' },
          ],
        },
      },
      errors: [
        'spec.securityContext.sysctls[0].name: Invalid value: "kernel.shm_rmid_forced": may not be specified when \'hostIPC\' is true',
        'spec.securityContext.sysctls[1].name: Invalid value: "net/ipv4/ip_forward": may not be specified when \'hostNetwork\' is true',
      ],
    },
    { name: 'a pod may leave its own resources open', spec: { containers: [asking], resources: {} }, errors: [] },
    {
      name: 'but may not request less than its containers',
      spec: { containers: [asking], resources: { requests: { cpu: '1m', memory: '1Gi' } } },
      errors: [
        'spec.resources.requests[cpu]: Invalid value: "1m": must be greater than or equal to aggregate container requests of 100m',
      ],
    },
    {
      name: 'own users go with no namespace of the host and none of its devices',
      spec: {
        hostUsers: false,
        hostPID: true,
        containers: [{ name: 'c', image: 'a', volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
      },
      errors: [
        'spec.HostPID: Forbidden: when `hostUsers` is false',
        'spec.containers[0].volumeDevices: Forbidden: when `hostUsers` is false',
      ],
    },
    {
      name: 'files of variables are in an emptyDir of the pod',
      spec: {
        containers: [
          {
            name: 'c',
            image: 'a',
            env: ['e', 's', 'x'].map((volumeName) => ({
              name: volumeName,
              valueFrom: { fileKeyRef: { volumeName, path: 'file', key: 'K' } },
            })),
          },
        ],
        volumes: [
          { name: 'e', emptyDir: {} },
          { name: 's', secret: { secretName: 's' } },
        ],
      },
      errors: [
        'spec.containers[0].env[1].valueFrom.fileKeyRef.volumeName: Invalid value: "s": referenced volume must be of type emptyDir',
        'spec.containers[0].env[2].valueFrom.fileKeyRef.volumeName: Not found: "x"',
      ],
    },
    {
      name: 'an init container that ends is not restarted to resize it',
      spec: {
        initContainers: [
          { name: 'i', image: 'a', resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] },
        ],
      },
      errors: [
        'spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to \'RestartContainer\' for non-sidecar initContainers',
      ],
    },
    {
      name: 'a key of a spread constraint may stand in its selector too, once',
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            matchLabelKeys: ['app', 'hash'],
            labelSelector: {
              matchLabels: { app: 'a', hash: 'h' },
              matchExpressions: [{ key: 'hash', operator: 'Exists' }],
            },
          },
        ],
      },
      errors: [
        'spec.topologySpreadConstraints[0][1]: Invalid value: "hash": exists in both matchLabelKeys and labelSelector',
      ],
    },
    {
      name: 'a Windows pod has no switch of Linux, be it on or off',
      spec: { os: { name: 'windows' }, hostUsers: true, shareProcessNamespace: false, hostPID: false },
      errors: [
        'spec.hostUsers: Forbidden: cannot be set for a windows pod',
        'spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod',
      ],
    },
    {
      name: 'an operating system is one of two',
      spec: { os: { name: 'plan9' } },
      errors: ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    },
    {
      name: 'comparisons are no operators of tolerations yet',
      spec: { tolerations: [{ key: 'a', operator: 'Gt', value: '1' }] },
      errors: [
        'spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
      ],
    },
    {
      name: 'a toleration of everything needs Exists',
      spec: { tolerations: [{}] },
      errors: [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    },
    {
      name: 'weights are from 1 to 100',
      spec: {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'zone' } }],
          },
        },
      },
      errors: [
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
      ],
    },
    {
      name: 'spread constraints are complete and not repeated',
      spec: {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
          { maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        ],
      },
      errors: [
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
        'spec.topologySpreadConstraints[1].maxSkew: Invalid value: 0: must be greater than zero',
      ],
    },
    {
      name: 'a Windows pod has nothing of Linux',
      spec: { os: { name: 'windows' }, hostPID: true, securityContext: { runAsUser: 1 } },
      errors: [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    },
    {
      name: 'ephemeral containers come later',
      spec: { ephemeralContainers: [{ name: 'e', image: 'a' }] },
      errors: ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    },
    {
      name: 'a claim names where it comes from',
      spec: { resourceClaims: [{ name: 'gpu' }] },
      errors: [
        'spec.resourceClaims[0]: Invalid value: {"Name":"gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    },
  ])('$name', ({ spec, errors }) => {
    expect(errorsOf(spec)).toEqual(errors);
  });

  it('rejects claims of static pods', () => {
    const spec = { nodeName: 'n', resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] };
    const problem = '[]: Forbidden: static pods do not support resource claims';
    expect(errorsOf(spec, { 'kubernetes.io/config.mirror': 'x' })).toEqual([problem]);
    expect(errorsOf(spec)).toEqual([]);
  });

  it('validates annotations that duplicate fields', () => {
    expect(errorsOf({}, { 'controller.kubernetes.io/pod-deletion-cost': '1.5' })).toEqual([
      'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "1.5": must be a 32bit integer',
    ]);
  });
});

describe('validation of a container', () => {
  it.each<{ name: string; container: Partial<Container>; spec?: Partial<PodSpec>; errors: string[] }>([
    {
      name: 'needs an image and a name without dots',
      container: { name: '1.5', image: '' },
      errors: [
        'spec.containers[0].name: Invalid value: "1.5": must not contain dots',
        'spec.containers[0].image: Required value',
      ],
    },
    {
      name: 'has ports in range with names of their own',
      container: { ports: [{ containerPort: 0 }, { containerPort: 80, hostPort: 70000 }] },
      errors: [
        'spec.containers[0].ports[0].containerPort: Required value',
        'spec.containers[0].ports[1].hostPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      ],
    },
    {
      name: 'takes a variable from one place',
      container: { env: [{ name: 'A', valueFrom: {} }] },
      errors: [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ],
    },
    {
      name: 'mounts volumes that are there',
      container: { volumeMounts: [{ name: 'none', mountPath: '/a' }] },
      errors: ['spec.containers[0].volumeMounts[0].name: Not found: "none"'],
    },
    {
      name: 'requests at most its limit',
      container: { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
      errors: [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    },
    {
      name: 'requests resources that there are',
      container: { resources: { limits: { foo: '1' } } },
      errors: [
        'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
        'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
      ],
    },
    {
      name: 'is probed in one way',
      container: { livenessProbe: {}, readinessProbe: { tcpSocket: { port: 1 }, exec: { command: ['a'] } } },
      errors: [
        'spec.containers[0].livenessProbe: Required value: must specify a handler type',
        'spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
      ],
    },
    {
      name: 'has a restart policy where it has rules for restarts',
      container: { restartPolicyRules: [{ action: '' }] },
      errors: [
        'spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used',
        'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "": supported values: "Restart", "RestartAllContainers"',
        'spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified',
      ],
    },
    {
      name: 'shows the whole context that contradicts itself',
      container: { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
      errors: [
        'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    },
  ])('$name', ({ container, spec = {}, errors }) => {
    expect(ofContainer(container, spec)).toEqual(errors);
  });

  it('is not probed while it prepares the pod', () => {
    const initContainers = [{ name: 'i', image: 'a', livenessProbe: { exec: { command: ['a'] } } }];

    expect(errorsOf({ initContainers })).toEqual([
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ]);
  });
});

describe('validation of a volume', () => {
  const sources = 'spec.volumes[0].projected.sources';
  const projected = (...all: VolumeProjection[]) => ({ projected: { sources: all } });
  const certificate = (more: Partial<PodCertificateProjection>) => ({
    podCertificate: { signerName: 'example.com/s', keyType: 'ED25519', ...more },
  });

  it.each<{ name: string; volume: Partial<Volume>; errors: string[] }>([
    {
      name: 'has one source, of which the first is looked at',
      volume: { configMap: {}, projected: { sources: [] } },
      errors: [
        'spec.volumes[0].configMap.name: Required value',
        'spec.volumes[0].projected: Forbidden: may not specify more than 1 volume type',
      ],
    },
    {
      name: 'is called in messages as upstream does',
      volume: { gcePersistentDisk: { pdName: '' } },
      errors: ['spec.volumes[0].persistentDisk.pdName: Required value'],
    },
    {
      name: 'has partitions from 1 on',
      volume: { gcePersistentDisk: { pdName: 'd', partition: 256 } },
      errors: ['spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive'],
    },
    {
      name: 'stays on its path',
      volume: { hostPath: { path: '/a/../b' } },
      errors: ['spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain \'..\''],
    },
    {
      name: 'puts no two files in one place',
      volume: {
        projected: {
          sources: [
            { configMap: { name: 'a', items: [{ key: 'k', path: 'x' }] } },
            { secret: { name: 'b', items: [{ key: 'k', path: 'x' }] } },
          ],
        },
      },
      errors: ['spec.volumes[0].projected: Invalid value: "b": conflicting duplicate paths'],
    },
    {
      name: 'shows a bundle by its name or those of a signer',
      volume: projected(
        { clusterTrustBundle: { path: 'a' } },
        { clusterTrustBundle: { path: 'b', name: 'x', signerName: 'example.com/s' } },
        { clusterTrustBundle: { path: 'c', name: 'example.com:s:x' } },
        { clusterTrustBundle: { path: 'd', signerName: 'example.com/s', labelSelector: { matchLabels: { a: 'b' } } } },
      ),
      errors: [
        `${sources}[0].clusterTrustBundle: Required value: either name or signerName must be specified`,
        `${sources}[1].clusterTrustBundle: Invalid value: {"Name":"x","SignerName":"example.com/s","LabelSelector":null,"Optional":null,"Path":"b"}: only one of name and signerName may be used`,
      ],
    },
    {
      name: 'shows bundles that can be there, in a place of their own',
      volume: projected(
        { clusterTrustBundle: { path: '', name: 'x', labelSelector: {} } },
        { clusterTrustBundle: { path: '../x', name: 'a/b:x' } },
        { clusterTrustBundle: { path: '../x', signerName: 'short' } },
      ),
      errors: [
        `${sources}[0].clusterTrustBundle.labelSelector: Invalid value: {}: labelSelector must be unset if name is specified`,
        `${sources}[0].clusterTrustBundle.path: Required value`,
        `${sources}[1].clusterTrustBundle.name: Invalid value: "a/b:x": not a valid clustertrustbundlename: ClusterTrustBundle for signerName a/b must be named with prefix a:b:`,
        `${sources}[1].clusterTrustBundle.path: Invalid value: "../x": must not contain '..'`,
        `${sources}[2].clusterTrustBundle.signerName: Invalid value: "short": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
        `${sources}[2].clusterTrustBundle.path: Invalid value: "../x": must not contain '..'`,
        'spec.volumes[0].projected: Invalid value: "../x": conflicting duplicate paths',
      ],
    },
    {
      name: 'requests a certificate of a signer, for a key of some type, into some file',
      volume: projected({ podCertificate: { signerName: 'example.com/s', keyType: 'DSA' } }),
      errors: [
        `${sources}[0].podCertificate.keyType: Unsupported value: "DSA": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"`,
        `${sources}[0].podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath`,
      ],
    },
    {
      name: 'requests a certificate that lasts neither too short nor too long',
      volume: projected(
        certificate({ keyPath: 'a', maxExpirationSeconds: 60 }),
        certificate({ keyPath: 'b', maxExpirationSeconds: 91 * 86400 }),
        certificate({ keyPath: 'c', maxExpirationSeconds: 86401, signerName: 'kubernetes.io/s' }),
      ),
      errors: [
        `${sources}[0].podCertificate.maxExpirationSeconds: Invalid value: 60: if provided, maxExpirationSeconds must be >= 3600`,
        `${sources}[2].podCertificate.maxExpirationSeconds: Invalid value: 86401: if provided, maxExpirationSeconds must be <= 86400`,
      ],
    },
    {
      name: 'tells the signer something under keys with a domain, and keeps key and chain apart',
      volume: projected(
        certificate({ keyPath: 'a', certificateChainPath: 'a', userAnnotations: { Key: 'v', 'Example.com/K': 'v' } }),
      ),
      errors: [
        `${sources}[0].podCertificate.userAnnotations: Invalid value: "key": must be a domain-prefixed key (such as "acme.io/foo")`,
        'spec.volumes[0].projected: Invalid value: "a": conflicting duplicate paths',
      ],
    },
  ])('$name', ({ volume, errors }) => {
    expect(ofVolume(volume)).toEqual(errors);
  });
});
