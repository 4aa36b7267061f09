import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus } from '../../generated/types/core-v1.js';
import { validatePodStatusUpdate } from './pod-status.validation.js';

function makePod(status: PodStatus, spec: Partial<PodSpec> = {}): Pod {
  return { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'a' }], ...spec }, status };
}

const containerStatus = (state: ContainerStatus['state'], more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'c',
  image: 'a',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...(state && { state }),
  ...more,
});

describe('a container that ended', () => {
  const ended = (exitCode: number) => ({ containerStatuses: [containerStatus({ terminated: { exitCode } })] });
  const running = { containerStatuses: [containerStatus({ running: {} })] };
  const refused = ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'];
  const rule = (action: string) => ({ action, exitCodes: { operator: 'In', values: [42] } });

  it.each<{ name: string; exitCode?: number; policy: string; container?: Partial<Container>; errors: string[] }>([
    { name: 'runs again when it always does', policy: 'Always', errors: [] },
    { name: 'runs again when it failed', exitCode: 1, policy: 'OnFailure', errors: [] },
    { name: 'stays ended when it succeeded', policy: 'OnFailure', errors: refused },
    { name: 'stays ended when it never restarts', exitCode: 1, policy: 'Never', errors: refused },
    {
      name: 'runs again when it says so itself',
      policy: 'Never',
      container: { restartPolicy: 'Always' },
      errors: [],
    },
    {
      name: 'runs again when a rule says so',
      exitCode: 42,
      policy: 'Never',
      container: { restartPolicy: 'Never', restartPolicyRules: [rule('Restart')] },
      errors: [],
    },
    {
      name: 'may run again when another can restart all',
      exitCode: 0,
      policy: 'Never',
      container: { restartPolicy: 'Never', restartPolicyRules: [rule('RestartAllContainers')] },
      errors: [],
    },
  ])('$name', ({ exitCode = 0, policy, container, errors }) => {
    const spec = { restartPolicy: policy, containers: [{ name: 'c', image: 'a', ...container }] };
    const problems = validatePodStatusUpdate(makePod(running, spec), makePod(ended(exitCode), spec));
    expect(problems.map(formatFieldError)).toEqual(errors);
  });
});

describe('the status of a pod', () => {
  it.each<{ name: string; status: PodStatus; spec?: Partial<PodSpec>; errors: string[] }>([
    {
      name: 'has conditions with names',
      status: { conditions: [{ type: 'a b', status: 'True', observedGeneration: -1 }] },
      errors: ['status.conditions[0].observedGeneration', 'status.conditions[0].Type'],
    },
    {
      name: 'names no node to go to once the pod is on one',
      status: { nominatedNodeName: 'n2' },
      spec: { nodeName: 'n1' },
      errors: ['status.nominatedNodeName'],
    },
    {
      name: 'has one address of each family',
      status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] },
      errors: ['status.podIPs'],
    },
    {
      name: 'maps the claim for extended resources to what containers request, once each',
      status: {
        extendedResourceClaimStatus: {
          resourceClaimName: 'A',
          requestMappings: [
            { containerName: 'c', resourceName: 'a.b/gpu', requestName: 'r' },
            { containerName: 'c', resourceName: 'a.b/gpu', requestName: 'r' },
            { containerName: 'c', resourceName: 'a.b/other', requestName: 'R' },
            { containerName: 'd', resourceName: 'a.b/gpu', requestName: 's' },
          ],
        },
      },
      spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { 'a.b/gpu': '1' } } }] },
      errors: [
        'status.extendedResourceClaimStatus.requestMappings[1].containerName',
        'status.extendedResourceClaimStatus.requestMappings[1].resourceName',
        'status.extendedResourceClaimStatus.requestMappings[1].requestName',
        'status.extendedResourceClaimStatus.requestMappings[2].resourceName',
        'status.extendedResourceClaimStatus.requestName',
        'status.extendedResourceClaimStatus.requestMappings[3].containerName',
        'status.extendedResourceClaimStatus.resourceClaimName',
      ],
    },
    {
      name: 'has users with numbers that Linux knows',
      status: { containerStatuses: [containerStatus({}, { user: { linux: { uid: -1, gid: 0 } } })] },
      errors: ['status.containerStatuses[0].linux.uid'],
    },
    {
      name: 'reports the devices that the container requested',
      status: {
        containerStatuses: [
          containerStatus(
            {},
            {
              allocatedResourcesStatus: [
                { name: 'a.b/gpu', resources: [{ resourceID: '1', health: 'Healthy' }] },
                {
                  name: 'a.b/other',
                  resources: [
                    { resourceID: '1', health: 'Fine', message: '' },
                    { resourceID: '1', health: 'Unknown' },
                  ],
                },
              ],
            },
          ),
        ],
      },
      spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { 'a.b/gpu': '1' } } }] },
      errors: [
        'status.containerStatuses[0].allocatedResourcesStatus[1].name',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].health',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[0].message',
        'status.containerStatuses[0].allocatedResourcesStatus[1].resources[1].resourceID',
      ],
    },
  ])('$name', ({ status, spec, errors }) => {
    expect(validatePodStatusUpdate(makePod(status, spec), makePod({}, spec)).map(({ field }) => field)).toEqual(errors);
  });
});

describe('node resources of devices', () => {
  const field = 'status.nodeAllocatableResourceClaimStatuses[0]';
  const spec = { resourceClaims: [{ name: 'r', resourceClaimName: 'given' }] };
  const resourceClaimStatuses = [{ name: 'r', resourceClaimName: 'made' }];
  const good = { resourceClaimName: 'given', containers: ['c'], resources: { cpu: '2' } };

  it.each<{ name: string; claim: Partial<typeof good>; errors: string[] }>([
    { name: 'is set for a claim of the pod', claim: {}, errors: [] },
    { name: 'or one that was made for it', claim: { resourceClaimName: 'made' }, errors: [] },
    {
      name: 'and no other',
      claim: { resourceClaimName: 'other' },
      errors: [`${field}.resourceClaimName: Invalid value: "other": no mapping found in pod reference`],
    },
    {
      name: 'for containers, in amounts',
      claim: { containers: [], resources: {} as { cpu: string } },
      errors: [
        `${field}.containers: Required value: must not be empty`,
        `${field}.resources: Required value: must not be empty`,
      ],
    },
    {
      name: 'of what nodes have, none of them negative',
      claim: { resources: { cpu: '-1', 'example.com/gpu': '1' } as { cpu: string } },
      errors: [
        `${field}.resources[cpu]: Invalid value: "-1": must be non-negative`,
        `${field}.resources[example.com/gpu]: Invalid value: "example.com/gpu": must be a node allocatable resource name`,
      ],
    },
  ])('$name', ({ claim, errors }) => {
    const status = { resourceClaimStatuses, nodeAllocatableResourceClaimStatuses: [{ ...good, ...claim }] };
    const found = validatePodStatusUpdate(makePod(status, spec), makePod({}, spec));
    expect(found.map(formatFieldError)).toEqual(errors);
  });
});
