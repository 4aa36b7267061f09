import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryHost } from '../command/memory-host.fixture.js';
import { runKubectl } from './run-kubectl.js';

async function kubectl(words: readonly string[], files: Record<string, string> = {}, stdin = '') {
  const host = memoryHost(files, stdin);
  return { code: await runKubectl(words, host), out: host.out(), err: host.err() };
}

describe('kubectl without a cluster', { timeout: 120_000 }, () => {
  test('prints its version', async () => {
    expect(await kubectl(['version', '--client'])).toMatchObject({
      code: 0,
      out: 'Client Version: v1.36.4\nKustomize Version: v5.8.1\n',
    });
  });

  test('suggests a similar command', async () => {
    expect(await kubectl(['gte', 'pods'])).toEqual({
      code: 1,
      out: '',
      err: 'error: unknown command "gte" for "kubectl"\n\nDid you mean this?\n\tget\n\n',
    });
  });

  test('points to the help after a bad flag', async () => {
    expect((await kubectl(['get', '--nonsense'])).err).toBe(
      "error: unknown flag: --nonsense\nSee 'kubectl get --help' for usage.\n",
    );
  });

  test('makes objects from flags', async () => {
    const { out } = await kubectl([
      'create',
      'deployment',
      'web',
      '--image=nginx:1',
      '--dry-run=client',
      '-o',
      'jsonpath={.spec.template.spec.containers[0]}',
    ]);
    expect(out).toBe('{"image":"nginx:1","name":"nginx","resources":{}}');
  });

  test('shows the object in which a path was not found, as Go writes values', async () => {
    const words = ['create', 'configmap', 'a', '--from-literal=x=1', '--dry-run=client', '-o', 'jsonpath={.data[3]}'];
    const { code, err } = await kubectl(words);
    expect(code).toBe(1);
    expect(err).toContain('map[string]interface {}{"apiVersion":"v1", "data":map[string]interface {}{"x":"1"}, ');
  });

  test('changes files locally', async () => {
    const files = { '/project/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "1"}\n' };
    const { out } = await kubectl(['label', '-f', 'cm.yaml', '--local', 'k=v', '-o', 'yaml'], files);
    expect(out).toBe('apiVersion: v1\ndata:\n  x: "1"\nkind: ConfigMap\nmetadata:\n  labels:\n    k: v\n  name: a\n');
  });

  test('writes and merges kubeconfigs', async () => {
    const files: Record<string, string> = {};
    const at = (...words: string[]) => kubectl([...words, '--kubeconfig=/home/c'], files);
    await at('config', 'set-cluster', 'sea', '--server=https://sea.test');
    await at('config', 'set-context', 'trip', '--cluster=sea', '--namespace=deep');
    await at('config', 'use-context', 'trip');
    expect((await at('config', 'get-contexts')).out).toBe(
      'CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n*         trip   sea                  deep\n',
    );
  });

  test('builds kustomizations with references that follow names', async () => {
    const files = {
      '/project/base/kustomization.yaml':
        'resources: [pod.yaml]\nnamePrefix: a-\nconfigMapGenerator:\n- name: cfg\n  literals: [k=v]\n',
      '/project/base/pod.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, envFrom: [{configMapRef: {name: cfg}}]}]}\n',
    };
    const { out, code } = await kubectl(['kustomize', 'base'], files);
    const name = /name: (a-cfg-\w{10})/.exec(out)?.[1];
    expect({ code, references: out.split(`name: ${name}`).length - 1 }).toEqual({ code: 0, references: 2 });
  });

  test('refuses a kustomization that leaves its directory', async () => {
    const files = {
      '/project/base/kustomization.yaml': 'resources: [../secret.yaml]\n',
      '/project/secret.yaml': 'kind: X\n',
    };
    expect((await kubectl(['kustomize', 'base'], files)).err).toContain("is not in or below '/project/base'");
  });
});

test('whatever is typed ends with a message and an exit code', async () => {
  const word = fc.constantFrom(
    'get',
    'create',
    'config',
    'set',
    '-f',
    '-o',
    'json',
    '--',
    '-',
    'pods',
    'x=y',
    '--dry-run',
    '/',
    'a/b/c',
    '{',
    '-k',
    'view',
    '--local',
    '',
    'explain',
    'label',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), fc.string(), async (words, stdin) => {
      const { code, out, err } = await kubectl(words, { '/project/x.yaml': stdin }, stdin);
      // Some commands without arguments print their help to standard output and fail, as kubectl v1.36 does.
      expect(code === 0 || err !== '' || out.includes('Usage:') ? 'told' : 'silent').toBe('told');
      expect(err).not.toMatch(/\n\s+at |TypeError|undefined is not/);
    }),
    { numRuns: 200 },
  );
});

test('any file is applied, or refused with a message', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      const { code, err } = await kubectl(['label', '-f', 'x.yaml', '--local', 'a=b', '-o', 'name'], {
        '/project/x.yaml': text,
      });
      expect(code === 0 || err.startsWith('error: ') || err.startsWith('Error from server')).toBe(true);
    }),
    { numRuns: 300 },
  );
});
