import { type admissionregistrationv1, refs } from '@coracle/api';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0 });
});
afterEach(() => cluster.stop());

type Spec = NonNullable<admissionregistrationv1.ValidatingAdmissionPolicy['spec']>;

const policies = () => cluster.client.resource(refs.validatingAdmissionPolicies);
const deployments = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

/** The status of a policy after it was checked. */
async function statusOf(spec: Spec, resourceRules: object[] = [deployments]) {
  await policies().create({ metadata: { name: 'p' }, spec: { matchConstraints: { resourceRules }, ...spec } as Spec });
  await cluster.settled();
  return (await policies().get('p')).status;
}

const validations = (...expressions: string[]) => ({
  validations: expressions.map((expression) => ({ expression })),
});

describe('type checking of validating policies', () => {
  test('finds no problems in a valid policy', async () => {
    const fitting = validations(
      'object.spec.replicas <= 5',
      "object.metadata.labels.all(k, k != 'x')",
      'object.spec.template.spec.containers.all(c, c.image.startsWith("r/"))',
      'quantity(string(object.spec.template.spec.containers[0].resources.requests["cpu"])).isLessThan(quantity("1"))',
      'oldObject == null || oldObject.spec.replicas == object.spec.replicas',
    );
    expect(await statusOf(fitting)).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test.each([
    ['object.spec.nosuch == 1', "1:12: undefined field 'nosuch'"],
    ["object.spec.replicas == 'x'", "1:22: found no matching overload for '_==_' applied to '(int, string)'"],
    ['params.x == 1', "1:1: undeclared reference to 'params' (in container '')"],
  ])('reports %s', async (expression, problem) => {
    // Without types it compiles, except for parameters that do not exist.
    const spec = expression.startsWith('params')
      ? { paramKind: { apiVersion: 'example.org/v1', kind: 'Nothing' }, ...validations(expression) }
      : validations(expression);
    const status = await statusOf(spec);
    expect(status?.typeChecking?.expressionWarnings).toHaveLength(1);
    const { fieldRef, warning } = status?.typeChecking?.expressionWarnings?.[0] ?? {};
    expect(fieldRef).toBe('spec.validations[0].expression');
    expect(warning).toContain(`apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:${problem}\n`);
  });

  test('checks messages and variables, for each kind', async () => {
    const status = await statusOf(
      {
        variables: [{ name: 'spec', expression: 'object.spec' }],
        validations: [{ expression: 'variables.spec.replicas < 3', messageExpression: "'has ' + object.kindd" }],
      },
      [deployments, { ...deployments, apiGroups: [''], resources: ['pods', 'pods/status', '*'] }],
    );
    const found = status?.typeChecking?.expressionWarnings ?? [];
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual([
      'spec.validations[0].expression',
      'spec.validations[0].messageExpression',
    ]);
    expect(found[0]?.warning).toMatch(/^\/v1, Kind=Pod: compilation failed: .*undefined field 'replicas'/);
    expect(found[0]?.warning).not.toContain('Deployment');
    expect(found[1]?.warning).toMatch(/^\/v1, Kind=Pod: [\s\S]*\n\napps\/v1, Kind=Deployment: /);
  });

  test('checks again when the policy changes', async () => {
    await statusOf(validations('object.spec.nosuch == 1'));
    await policies().patch('p', { spec: validations('true') }, { type: 'merge' });
    await cluster.settled();
    expect((await policies().get('p')).status).toEqual({ observedGeneration: 2 });
  });

  test('has the types of custom resources and parameters', async () => {
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    };
    await cluster.client.resource(refs.customResourceDefinitions).create({
      metadata: { name: 'boats.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Namespaced',
        names: { plural: 'boats', kind: 'Boat' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    } as never);
    await cluster.settled();
    await cluster.clock.advance('5s');
    const boats = { ...deployments, apiGroups: ['example.org'], resources: ['boats'] };
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...validations('object.spec.size > int(params.data["most"])', "object.spec.size == 'x'", 'params.nodata == 1'),
    };
    const status = await statusOf(spec, [boats]);
    expect(status?.typeChecking?.expressionWarnings?.map(({ fieldRef }) => fieldRef)).toEqual([
      'spec.validations[1].expression',
      'spec.validations[2].expression',
    ]);
  });
});
