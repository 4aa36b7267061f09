import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

describe('flow schemas', () => {
  const schema = {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name: 'f' },
    spec: {
      priorityLevelConfiguration: { name: 'level' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'ann' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] }],
        },
      ],
    },
  };
  const rule = 'spec.rules.0.resourceRules.0';
  const field = 'spec.rules[0].resourceRules[0]';

  test('a schema has the middle precedence by default', () => {
    expect(withDefaults(schema).spec.matchingPrecedence).toBe(1000);
  });

  test.each<[string, Changes, string[]]>([
    [
      'it leads to a level',
      { 'spec.priorityLevelConfiguration': {} },
      ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ],
    [
      'only what is exempt comes first',
      { 'spec.matchingPrecedence': 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      'verbs are those of the API',
      { [`${rule}.verbs`]: ['fetch'] },
      [
        `${field}.verbs: Unsupported value: ["fetch"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`,
      ],
    ],
    [
      'a star stands alone',
      { [`${rule}.namespaces`]: ['*', 'n'] },
      [`${field}.namespaces: Invalid value: ["*","n"]: if '*' is present, must not specify other namespaces`],
    ],
    [
      'a user is described as one',
      { 'spec.rules.0.subjects.0.group': { name: 'g' } },
      ["spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
    ],
    [
      'paths end in a star at most',
      { 'spec.rules.0.nonResourceRules': [{ verbs: ['get'], nonResourceURLs: ['/a*'] }] },
      [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
      ],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(schema, changes)).toEqual(want);
  });
});

describe('priority levels', () => {
  const level = {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'l' },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  };

  test('queues have sizes', () => {
    expect(withDefaults(level).spec.limited).toMatchObject({
      nominalConcurrencyShares: 30,
      lendablePercent: 0,
      limitResponse: { queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
    });
  });

  test.each<[string, Changes, string[]]>([
    [
      'a limited level has limits',
      { 'spec.limited': undefined },
      ['spec.limited: Required value: must not be empty when type is Limited'],
    ],
    ['and is not exempt', { 'spec.exempt': {} }, ['spec.exempt: Forbidden: must be nil if the type is Limited']],
    [
      'a hand is dealt of the queues there are',
      { 'spec.limited.limitResponse.queuing': { queues: 4, handSize: 5 } },
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 5: should not be greater than queues (4)'],
    ],
    [
      'and by one hash',
      { 'spec.limited.limitResponse.queuing': { queues: 1024, handSize: 8 } },
      [
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 1024 and handSize 8 should not be greater than 60',
      ],
    ],
    [
      'no more is lent than there is',
      { 'spec.limited.lendablePercent': 101 },
      ['spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(level, changes)).toEqual(want);
  });
});
