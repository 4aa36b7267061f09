import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, withDefaults } from '../../rules.fixture.js';

const apiVersion = 'admissionregistration.k8s.io/v1';
const metadata = { name: 'a' };
const rule = { apiGroups: ['x.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['xs'] };

describe('webhooks', () => {
  const configuration = {
    apiVersion,
    kind: 'MutatingWebhookConfiguration',
    metadata,
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: { service: { namespace: 'n', name: 's' } },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };

  test('a webhook is called once for each request, with a timeout of ten seconds', () => {
    expect(withDefaults(configuration).webhooks[0]).toMatchObject({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      reinvocationPolicy: 'Never',
      timeoutSeconds: 10,
      clientConfig: { service: { port: 443 } },
      rules: [{ scope: '*' }],
    });
  });

  test.each<[string, Changes, string[]]>([
    [
      'its name has a domain',
      { 'webhooks.0.name': 'a.b' },
      ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
    ],
    [
      'it is in one place',
      { 'webhooks.0.clientConfig.url': 'https://x' },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'and spoken to in private',
      { 'webhooks.0.clientConfig': { url: 'http://x' } },
      [
        `webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
    ],
    [
      'a dry run has no effects',
      { 'webhooks.0.sideEffects': 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'all subresources include each',
      { 'webhooks.0.rules.0.resources': ['pods/*', 'pods/log'] },
      [
        `webhooks[0].rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      ],
    ],
    [
      'what comes last of the resources decides whether all may stand beside it',
      { 'webhooks.0.rules.0.resources': ['x', '*'] },
      [],
    ],
    [
      'so that one after all is refused',
      { 'webhooks.0.rules.0.resources': ['*', 'x'] },
      [
        `webhooks[0].rules[0].resources: Invalid value: ["*","x"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    [
      'conditions compile',
      { 'webhooks.0.matchConditions': [{ name: 'm', expression: 'nothing' }] },
      [
        `webhooks[0].matchConditions[0].expression: Invalid value: "nothing": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')\n | nothing\n | ^`,
      ],
    ],
    [
      'and are true or false',
      { 'webhooks.0.matchConditions': [{ name: 'm', expression: '"text"' }] },
      ['webhooks[0].matchConditions[0].expression: Invalid value: "\\"text\\"": must evaluate to bool but got string'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(configuration, changes)).toEqual(want);
  });
});

describe('validating policies', () => {
  const policy = {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'object.spec.n > 1' }] },
  };

  test.each<[string, Changes, string[]]>([
    ['a policy that says nothing of failures fails', {}, []],
    [
      'it checks something',
      { 'spec.validations': [] },
      [
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    ],
    ['of something', { 'spec.matchConstraints': undefined }, ['spec.matchConstraints: Required value']],
    [
      'parameters exist only if their kind is named',
      { 'spec.validations.0.expression': 'params.x' },
      [
        `spec.validations[0].expression: Invalid value: "params.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^`,
      ],
    ],
    [
      'then they may be used',
      { 'spec.validations.0.expression': 'params.x', 'spec.paramKind': { apiVersion: 'v1', kind: 'ConfigMap' } },
      [],
    ],
    [
      'so do variables',
      { 'spec.validations.0.expression': 'variables.x' },
      [
        `spec.validations[0].expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x\n | ^`,
      ],
    ],
    [
      'each of which has a name',
      { 'spec.validations.0.expression': 'variables.x', 'spec.variables': [{ name: 'y', expression: '1' }] },
      [
        `spec.validations[0].expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:10: undefined field 'x'\n | variables.x\n | .........^`,
      ],
    ],
    [
      'conditions come before variables',
      {
        'spec.variables': [{ name: 'x', expression: 'true' }],
        'spec.matchConditions': [{ name: 'm', expression: 'variables.x' }],
      },
      [
        `spec.matchConditions[0].expression: Invalid value: "variables.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x\n | ^`,
      ],
    ],
    [
      'message expressions cannot use the authorizer',
      { 'spec.validations.0.messageExpression': "string(authorizer.path('/').check('get').allowed())" },
      [expect.stringContaining("undeclared reference to 'authorizer'")],
    ],
    ['an expression of two lines needs no message', { 'spec.validations.0.expression': 'true\n|| false' }, []],
    [
      'a message has one line',
      { 'spec.validations.0.message': 'a\rb' },
      ['spec.validations[0].message: Invalid value: "a\\rb": must not contain line breaks'],
    ],
    [
      'what the answer says is one of a few',
      { 'spec.validations.0.reason': 'Unauthorized' },
      [
        'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      'annotations bear the name of the policy',
      { 'metadata.name': '', 'spec.auditAnnotations': [{ key: 'k', valueExpression: "'a'" }] },
      ['spec.auditAnnotations[0].key: Invalid value: "k": requires metadata.name be non-empty'],
    ],
    [
      'what to do on failure is not empty',
      { 'spec.failurePolicy': '' },
      ['spec.failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'],
    ],
    [
      'a variable has a name',
      { 'spec.variables': [{ name: '', expression: '1' }] },
      ['spec.variables[0].name: Required value: name is not specified'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(policy, changes)).toEqual(want);
  });

  test('a binding has at least one action, without contradictions', () => {
    const binding = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: 'p', validationActions: ['Deny'] },
    };
    expect(problemsOnCreate(binding, {})).toEqual([]);
    expect(problemsOnCreate(binding, { 'spec.validationActions': ['Deny', 'Warn'] })[0]).toContain(
      'must not contain both Deny and Warn',
    );
  });
});

describe('mutating policies', () => {
  const policy = {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata,
    spec: {
      matchConstraints: { resourceRules: [rule] },
      reinvocationPolicy: 'Never',
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    },
  };

  test.each<[string, Changes, string[]]>([
    [
      'a policy changes something',
      { 'spec.mutations': [] },
      ['spec.mutations: Required value: mutations must contain at least one item'],
    ],
    [
      'in one of two ways',
      { 'spec.mutations.0.patchType': 'Magic' },
      ['spec.mutations[0].patchType: Unsupported value: "Magic": supported values: "ApplyConfiguration", "JSONPatch"'],
    ],
    [
      'and not in both',
      { 'spec.mutations.0.jsonPatch': { expression: '[]' }, 'spec.mutations.0.applyConfiguration.expression': ' ' },
      [
        'spec.mutations[0].applyConfiguration.expression: Required value',
        'spec.mutations[0].jsonPatch: Invalid value: {"expression":"[]"}: must not be specified when patchType is ApplyConfiguration',
      ],
    ],
    [
      'what is there, not what goes',
      { 'spec.matchConstraints.resourceRules.0.operations': ['CREATE', 'DELETE'] },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
    [
      'once or again',
      { 'spec.reinvocationPolicy': 'Often' },
      ['spec.reinvocationPolicy: Unsupported value: "Often": supported values: "IfNeeded", "Never"'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(policy, changes)).toEqual(want);
  });
});
