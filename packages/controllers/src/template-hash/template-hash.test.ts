import type { PodTemplateSpec } from '@coracle/api';
import { describe, expect, it } from 'vitest';
import { revisionData } from '../revisions/revision-history.js';
import { dumpTemplate } from './dump-template.js';
import { dumpQuantity } from './go-quantity.js';
import { revisionHash, templateHash } from './template-hash.js';

type Container = Partial<NonNullable<PodTemplateSpec['spec']>['containers'][number]>;

/** A template of one container as the server's defaults leave it. */
function template(label: [string, string], container: Container & { name: string }): PodTemplateSpec {
  return {
    metadata: { labels: { [label[0]]: label[1] } },
    spec: {
      containers: [
        {
          imagePullPolicy: 'Always',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ...container,
        },
      ],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    },
  };
}

const daemonSet = template(['a', 'd'], { name: 'c', image: 'x' });
const withRequests = template(['app', 'd'], {
  name: 'c',
  image: 'busybox:1',
  imagePullPolicy: 'IfNotPresent',
  resources: { requests: { cpu: '10m', memory: '16Mi' } },
});
describe('templateHash', () => {
  it.each([
    ['7f64b8dbf5', daemonSet],
    ['74bc74b6f6', withRequests],
  ])('is %s, as kube-controller-manager v1.36 has it', (hash, of) => {
    expect(templateHash(of, undefined)).toBe(hash);
  });
});

describe('dumpTemplate', () => {
  const { spec } = daemonSet;
  it.each([
    [
      'a probe',
      { livenessProbe: { httpGet: { port: 'web' }, periodSeconds: 10 } },
      [
        'LivenessProbe:(*v1.Probe){ProbeHandler:(v1.ProbeHandler){Exec:(*v1.ExecAction)<nil> HTTPGet:(*v1.HTTPGetAction){Path:(string) Port:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)web} Host:(string)',
        'PeriodSeconds:(int32)10 ',
      ],
    ],
    [
      'keys of a map in order',
      { resources: { limits: { memory: '1Gi', cpu: '1' } } },
      ['Limits:(v1.ResourceList)map[cpu:{i:', ' memory:{i:'],
    ],
    [
      'references that are inlined',
      { envFrom: [{ configMapRef: { name: 'x', optional: true } }] },
      [
        'EnvFrom:([]v1.EnvFromSource)[{Prefix:(string) ConfigMapRef:(*v1.ConfigMapEnvSource){LocalObjectReference:(v1.LocalObjectReference){Name:(string)x} Optional:(*bool)true} SecretRef:(*v1.SecretEnvSource)<nil>}]',
      ],
    ],
  ])('writes %s', (_what, fields, texts) => {
    const containers = [{ ...spec?.containers[0], name: 'c', ...fields }];
    const dump = dumpTemplate({ ...daemonSet, spec: { ...spec, containers } });
    for (const text of texts) expect(dump).toContain(text);
  });

  it.each([
    ['0', 'value:(int64)0 scale:(resource.Scale)0', 's:(string)0 Format:(resource.Format)}'],
    ['-1500m', 'value:(int64)-1500 scale:(resource.Scale)-3', 's:(string)-1500m Format:(resource.Format)DecimalSI}'],
    ['2k', 'value:(int64)2 scale:(resource.Scale)3', 's:(string)2k'],
    ['1e3', 'value:(int64)1 scale:(resource.Scale)3', 's:(string)1e3 Format:(resource.Format)DecimalExponent}'],
    ['1Gi', 'value:(int64)1073741824 scale:(resource.Scale)0', 's:(string) Format:(resource.Format)BinarySI}'],
    [
      '100Ti',
      'value:(int64)0',
      '(*inf.Dec){unscaled:(big.Int){neg:(bool)false abs:(big.nat)[109951162777600]} scale:(inf.Scale)0}',
    ],
  ])('writes the quantity %s as its fields', (text, ...parts) => {
    for (const part of parts) expect(dumpQuantity(text)).toContain(part);
  });
});

describe('revisionHash', () => {
  it('equals that of kube-controller-manager v1.36', () => {
    const data = revisionData(template(['a', 's'], { name: 'c', image: 'x' }));
    expect(revisionHash(data, 0)).toBe('5c45495ccc');
  });
});
