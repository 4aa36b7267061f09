import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../generated/types/core-v1.js';
import { setPodDefaults } from './pod.defaults.js';
import { validateEphemeralContainersUpdate, validatePodResize } from './pod-subresource.validation.js';
import { validatePodUpdate } from './pod-update.validation.js';

function makePod(spec: Partial<PodSpec> = {}): Pod {
  const pod: Pod = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'a:1' }], serviceAccountName: 'default', ...spec },
  };
  setPodDefaults(pod);
  return pod;
}

describe('an update of a pod', () => {
  it.each<{ name: string; before?: Partial<PodSpec>; after: Partial<PodSpec> }>([
    { name: 'may change an image', after: { containers: [{ name: 'c', image: 'a:2' }] } },
    { name: 'may set a deadline', after: { activeDeadlineSeconds: 5 } },
    { name: 'may add a toleration', after: { tolerations: [{ key: 'a', operator: 'Exists' }] } },
    { name: 'may open a gate', before: { schedulingGates: [{ name: 'g/a' }] }, after: {} },
    {
      name: 'may narrow the choice of nodes behind a gate',
      before: { schedulingGates: [{ name: 'g/a' }] },
      after: { schedulingGates: [{ name: 'g/a' }], nodeSelector: { zone: 'a' } },
    },
  ])('$name', ({ before = {}, after }) => {
    expect(validatePodUpdate(makePod(after), makePod(before))).toEqual([]);
  });

  it.each<{ name: string; before?: Partial<PodSpec>; after: Partial<PodSpec>; errors: string[] }>([
    {
      name: 'may not add containers',
      after: {
        containers: [
          { name: 'c', image: 'a:1' },
          { name: 'd', image: 'a:1' },
        ],
      },
      errors: ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    },
    {
      name: 'may not put off a deadline',
      before: { activeDeadlineSeconds: 5 },
      after: { activeDeadlineSeconds: 6 },
      errors: ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    },
    {
      name: 'may not take a toleration away',
      before: { tolerations: [{ key: 'a', operator: 'Exists' }] },
      after: {},
      errors: ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    },
    {
      name: 'may not close a gate',
      after: { schedulingGates: [{ name: 'g/a' }] },
      errors: [
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g/a'",
      ],
    },
  ])('$name', ({ before = {}, after, errors }) => {
    expect(validatePodUpdate(makePod(after), makePod(before)).map(formatFieldError)).toEqual(errors);
  });

  it('shows other changes as lines of the spec', () => {
    const [error] = validatePodUpdate(makePod({ hostname: 'x' }), makePod());

    expect(error?.body.split('\n').slice(1)).toEqual([
      '@@ -64,7 +64,7 @@',
      '   "SELinuxChangePolicy": null',
      '  },',
      '  "ImagePullSecrets": null,',
      '- "Hostname": "",',
      '+ "Hostname": "x",',
      '  "Subdomain": "",',
      '  "SetHostnameAsFQDN": null,',
      '  "Affinity": null,',
      '',
    ]);
  });
});

describe('the endpoint for ephemeral containers', () => {
  it('adds them, and keeps existing ones unchanged', () => {
    const one = makePod({ ephemeralContainers: [{ name: 'debug', image: 'a:1' }] });
    const none = makePod();
    const other = makePod({ ephemeralContainers: [{ name: 'debug', image: 'a:2' }] });

    expect({
      added: validateEphemeralContainersUpdate(one, none),
      removed: validateEphemeralContainersUpdate(none, one).map(({ body }) => body),
      changed: validateEphemeralContainersUpdate(other, one).length,
    }).toEqual({
      added: [],
      removed: ['Forbidden: existing ephemeral containers "debug" may not be removed\n'],
      changed: 1,
    });
  });
});

describe('the endpoint for sizes', () => {
  const sized = (cpu: string, memory = '1Gi') =>
    makePod({
      containers: [{ name: 'c', image: 'a:1', resources: { requests: { cpu }, limits: { cpu: '4', memory } } }],
    });

  it.each([
    { name: 'changes cpu', after: sized('2'), errors: [] },
    { name: 'takes memory away', after: sized('1', '1Mi'), errors: [] },
    {
      name: 'does not take a limit away altogether',
      after: makePod({
        containers: [{ name: 'c', image: 'a:1', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
      }),
      errors: ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
    },
    {
      name: 'does not rename containers',
      after: makePod({
        containers: [
          { name: 'd', image: 'a:1', resources: { requests: { cpu: '1' }, limits: { cpu: '4', memory: '1Gi' } } },
        ],
      }),
      errors: ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    },
    {
      name: 'gives the pod as a whole no other resources than these',
      after: {
        ...sized('1'),
        spec: { ...sized('1').spec, resources: { limits: { 'hugepages-2Mi': '2Mi' } } } as PodSpec,
      },
      errors: [
        'spec.resources: Forbidden: HugePages require cpu or memory',
        'spec: Forbidden: only cpu and memory resources are mutable at pod-level',
      ],
    },
    {
      name: 'keeps the quality of service',
      after: sized('4'),
      errors: ['spec: Invalid value: "": Pod QOS Class may not change as a result of resizing'],
    },
  ])('$name', ({ after, errors }) => {
    expect(validatePodResize(after, sized('1')).map(formatFieldError)).toEqual(errors);
  });
});
