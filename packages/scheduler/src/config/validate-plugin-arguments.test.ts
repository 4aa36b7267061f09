import { FieldPath, formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { validatePluginArguments } from './validate-plugin-arguments.js';

const problems = (plugin: string, args: unknown) =>
  validatePluginArguments(FieldPath.of('args'), plugin, args).map(formatFieldError);

const ratio = (...shape: object[]) => ({
  scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } },
});
const shapePath = 'args.scoringStrategy.requestedToCapacityRatio.shape';
const zone = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
const required = (...matchExpressions: object[]) => ({
  addedAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
  },
});
const expressions =
  'args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions';

describe('SCH-38 the arguments of plugins', () => {
  test.each<[string, unknown, string[]]>([
    ['Theirs', { any: 'thing' }, []],
    ['DefaultPreemption', undefined, []],
    ['DefaultPreemption', {}, []],
    ['DefaultPreemption', 'x', ['args: Invalid value: "x": has to match plugin args']],
    [
      'DefaultPreemption',
      { minCandidateNodesPercentage: 'x' },
      ['args: Invalid value: {"minCandidateNodesPercentage":"x"}: has to match plugin args'],
    ],
    [
      'DefaultPreemption',
      { minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1 },
      [
        'args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]',
        'args.minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)',
      ],
    ],
    [
      'DefaultPreemption',
      { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 },
      [
        'args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute',
        'args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage',
      ],
    ],
    ['InterPodAffinity', { hardPodAffinityWeight: 0 }, []],
    [
      'InterPodAffinity',
      { hardPodAffinityWeight: 101 },
      ['args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]'],
    ],
    [
      'NodeResourcesBalancedAllocation',
      { resources: [{ name: 'cpu', weight: 2 }, { name: 'memory' }, { name: 'cpu', weight: 1 }] },
      ['args.resources[0].weight: Invalid value: 2: must be 1', 'args.resources[2].name: Duplicate value: "cpu"'],
    ],
    [
      'NodeResourcesFit',
      { ignoredResources: ['a/b'], ignoredResourceGroups: ['a/b'] },
      ["args.ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'"],
    ],
    [
      'NodeResourcesFit',
      { scoringStrategy: {} },
      [
        'args.scoringStrategy.type: Unsupported value: "": supported values: "LeastAllocated", "MostAllocated", ' +
          '"RequestedToCapacityRatio"',
      ],
    ],
    [
      'NodeResourcesFit',
      {
        scoringStrategy: {
          type: 'MostAllocated',
          resources: [{ name: 'cpu', weight: 101 }],
          requestedToCapacityRatio: {},
        },
      },
      [
        'args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]',
        'args.scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio',
      ],
    ],
    [
      'NodeResourcesFit',
      { scoringStrategy: { type: 'RequestedToCapacityRatio' } },
      [
        'args.scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is ' +
          'RequestedToCapacityRatio',
      ],
    ],
    ['NodeResourcesFit', ratio(), [`${shapePath}: Required value: at least one point must be specified`]],
    ['NodeResourcesFit', ratio({ utilization: 0, score: 10 }, { utilization: 100, score: 0 }), []],
    [
      'NodeResourcesFit',
      ratio({ utilization: 50, score: 11 }, { utilization: 50, score: -1 }, { utilization: 101, score: 0 }),
      [
        `${shapePath}[1].utilization: Invalid value: 50: values must be sorted in increasing order`,
        `${shapePath}[0].score: Invalid value: 11: not in valid range [0, 10]`,
        `${shapePath}[1].score: Invalid value: -1: not in valid range [0, 10]`,
        `${shapePath}[2].utilization: Invalid value: 101: not in valid range [0, 100]`,
      ],
    ],
    ['PodTopologySpread', { defaultingType: 'List', defaultConstraints: [zone] }, []],
    [
      'PodTopologySpread',
      { defaultConstraints: [zone] },
      ['args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty'],
    ],
    [
      'PodTopologySpread',
      { defaultingType: 'Any' },
      ['args.defaultingType: Unsupported value: "Any": supported values: "System", "List"'],
    ],
    [
      'PodTopologySpread',
      { defaultingType: 'List', defaultConstraints: [zone, { ...zone, labelSelector: {} }, {}] },
      [
        'args.defaultConstraints[1].labelSelector: Forbidden: constraint must not define a selector, as they deduced ' +
          'for each pod',
        'args.defaultConstraints[1]: Duplicate value: "{zone, DoNotSchedule}"',
        'args.defaultConstraints[2].maxSkew: Invalid value: 0: not in valid range (0, inf)',
        'args.defaultConstraints[2].topologyKey: Required value: can not be empty',
        'args.defaultConstraints[2].whenUnsatisfiable: Required value: can not be empty',
      ],
    ],
    ['DynamicResources', {}, []],
    ['DynamicResources', { filterTimeout: '0s', bindingTimeout: '1s' }, []],
    [
      'DynamicResources',
      { filterTimeout: '-1s', bindingTimeout: '999ms' },
      [
        'args.filterTimeout: Invalid value: "-1s": must be zero or positive',
        'args.bindingTimeout: Invalid value: "999ms": must be at least 1 second',
      ],
    ],
    ['NodeAffinity', {}, []],
    ['NodeAffinity', required({ key: 'zone', operator: 'In', values: ['a'] }), []],
    [
      'NodeAffinity',
      required(
        { key: 'zone', operator: 'Is' },
        { key: 'zone', operator: 'In' },
        { key: 'z', operator: 'Gt', values: ['x'] },
      ),
      [
        `${expressions}[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"`,
        `${expressions}[1].values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`,
        `${expressions}[2].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
      ],
    ],
    [
      'NodeAffinity',
      {
        addedAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchFields: [{ key: 'metadata.name', operator: 'Is' }] } },
            { weight: 1, preference: { matchFields: [{ key: 'metadata.name', operator: 'In', values: [] }] } },
          ],
        },
      },
      [
        'args.addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].matchFields[0].values: Invalid value: []: ' +
          'must have one element',
      ],
    ],
  ])('%s %j: %j', (plugin, args, expected) => {
    expect(problems(plugin, args)).toEqual(expected);
  });
});
