import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryHost } from '../command/memory-host.fixture.js';
import type { Host } from '../host.js';
import { runKubectl } from './run-kubectl.js';

async function kubectl(words: readonly string[], files: Record<string, string>, more: Partial<Host> = {}) {
  const host = memoryHost(files);
  return { code: await runKubectl(words, { ...host, ...more }), out: host.out(), err: host.err() };
}

/** A failure of kubectl's own, as a message for the user. */
function isTold({ code, err }: { readonly code: number; readonly err: string }): boolean {
  return code === 0 || (code === 1 && /^[^\n]*(?:error|Error|unable|Unable)/m.test(err));
}
const isTrace = /\n\s+at |TypeError|RangeError|is not a function|is not iterable|Cannot read prop|undefined is not/;

/** YAML of a shape that files of kubectl may have, with values of any kind in it. */
function shaped(...keys: readonly string[]) {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 5 }),
    ),
  }));
  return tree.map((value) => JSON.stringify(value));
}

/** Text that is YAML now and then. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '\n',
          '  ',
          '- ',
          ': ',
          '{',
          '}',
          '[',
          ']',
          '"',
          "'",
          '&a',
          '*a',
          '|',
          '>',
          '---\n',
          '!!int ',
          '? ',
          '#',
          '\t',
        ],
        ...['%YAML 9', '<<: ', 'kind', 'metadata', 'apiVersion: v1', 'clusters:', '~', '\u0000', '\ud800'],
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

/** The same inputs in every run; `CORACLE_FUZZ_RUNS=5000` tries that many others. */
const more = Number(process.env['CORACLE_FUZZ_RUNS'] ?? 0);
const runs = (count: number) => (more > 0 ? { numRuns: more } : { numRuns: count, seed: 1 });

const cases = [
  {
    name: 'kubeconfig',
    file: '/home/.kube/config',
    words: ['get', 'pods'],
    text: shaped(
      'clusters',
      'contexts',
      'users',
      'name',
      'cluster',
      'context',
      'user',
      'current-context',
      'server',
      'exec',
      'kind',
      'apiVersion',
    ),
  },
  {
    name: 'kubeconfig that is shown',
    file: '/home/.kube/config',
    words: ['config', 'view'],
    text: shaped(
      'clusters',
      'contexts',
      'users',
      'name',
      'cluster',
      'user',
      'token',
      'certificate-authority-data',
      'extensions',
    ),
  },
  {
    name: 'manifest',
    file: '/project/x.yaml',
    words: ['annotate', '--local', '-f', 'x.yaml', 'a=b', '-o', 'yaml'],
    text: shaped('apiVersion', 'kind', 'metadata', 'name', 'annotations', 'items', 'spec'),
  },
  {
    name: 'manifest of a workload',
    file: '/project/x.yaml',
    words: ['set', 'image', '--local', '-f', 'x.yaml', '*=nginx', '-o', 'json'],
    text: shaped('spec', 'template', 'containers', 'name', 'image', 'metadata').map(
      (spec) => `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":${spec}}`,
    ),
  },
  { name: 'kubeconfig of any text', file: '/home/.kube/config', words: ['get', 'pods'], text: anyText },
  {
    name: 'manifest of any text',
    file: '/project/x.yaml',
    words: ['annotate', '--local', '-f', 'x.yaml', 'a=b', '-o', 'yaml'],
    text: anyText,
  },
  {
    name: 'template in a file',
    file: '/project/t',
    words: ['create', 'deployment', 'x', '--image=y', '--dry-run=client', '-o', 'go-template-file=t'],
    text: anyText.map((text) => `{{${text}}}`),
  },
  {
    name: 'kuberc',
    file: '/home/.kube/kuberc',
    words: ['version', '--client'],
    text: shaped('aliases', 'defaults', 'name', 'command', 'options', 'prependArgs', 'credentialPluginPolicy').map(
      (rest) =>
        `{"apiVersion":"kubectl.config.k8s.io/v1beta1","kind":"Preference","aliases":${rest},"defaults":${rest}}`,
    ),
  },
  {
    name: 'kustomization',
    file: '/project/kustomization.yaml',
    words: ['kustomize', '.'],
    text: shaped(
      'resources',
      'patches',
      'target',
      'path',
      'patch',
      'images',
      'labels',
      'pairs',
      'transformers',
      'generators',
      'replacements',
      'source',
      'targets',
      'configMapGenerator',
      'name',
      'literals',
      'helmCharts',
      'vars',
      'replicas',
    ),
  },
];

/** The first command of a run loads most of the code. */
const timeout = 120_000;

describe('files of any content', { timeout }, () => {
  test.each(cases)('a $name ends with a message, never with a stack trace', async ({ file, words, text }) => {
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const result = await kubectl(words, { [file]: content });
        expect(result.err + result.out).not.toMatch(isTrace);
        expect(isTold(result), JSON.stringify(result)).toBe(true);
      }),
      runs(150),
    );
  });
});

const pod =
  '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"b"}},"spec":{"containers":[{"name":"c"}]}}';
const fragment = fc.constantFrom(
  '{',
  '}',
  '.',
  '..',
  '[',
  ']',
  '*',
  '@',
  '?(',
  ')',
  '==',
  '"',
  "'",
  'range ',
  'end',
  'metadata',
  'items',
  '0',
  '-1',
  ':',
  ',',
  '{{',
  '}}',
  '|',
  'index ',
  'len ',
  'printf "%s" ',
  '$x',
  ':=',
  'if ',
  'else',
  'template "a"',
  'define "a"',
  '\\',
  ' ',
);

describe('expressions of any form', { timeout }, () => {
  test.each(['jsonpath', 'go-template', 'custom-columns', 'jsonpath-as-json'])(
    '-o %s prints or ends with a message',
    async (format) => {
      const text = fc.array(fc.oneof(fragment, fc.string({ maxLength: 3 })), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(text, async (parts) => {
          const words = ['label', '--local', '-f', 'p.json', 'x=y', '-o', `${format}=${parts.join('')}`];
          const result = await kubectl(words, { '/project/p.json': pod });
          expect(result.err + result.out).not.toMatch(isTrace);
          expect(isTold(result), JSON.stringify([parts.join(''), result])).toBe(true);
        }),
        runs(300),
      );
    },
  );
});

describe('the policy of kuberc for credential plugins', () => {
  const config = `{"clusters":[{"name":"c","cluster":{"server":"https://c.test"}}],"users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":"get-token","interactiveMode":"Never"}}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}`;
  const preference = (rest: string) => `{"apiVersion":"kubectl.config.k8s.io/v1beta1","kind":"Preference",${rest}}`;
  test.each([
    {
      name: 'DenyAll',
      rest: '"credentialPluginPolicy":"DenyAll"',
      err: 'plugin "get-token" not allowed: policy set to "DenyAll"',
    },
    {
      name: 'an allowlist without the plugin',
      rest: '"credentialPluginPolicy":"Allowlist","credentialPluginAllowlist":[{"name":"other"}]',
      err: 'plugin path "get-token" is not permitted by the credential plugin allowlist',
    },
    {
      name: 'an allowlist with the plugin',
      rest: '"credentialPluginPolicy":"Allowlist","credentialPluginAllowlist":[{"name":"get-token"}]',
      err: 'connected',
    },
    { name: 'AllowAll', rest: '"credentialPluginPolicy":"AllowAll"', err: 'connected' },
    { name: 'none', rest: '"aliases":[]', err: 'connected' },
    {
      name: 'another word',
      rest: '"credentialPluginPolicy":"Maybe"',
      err: 'invalid credential plugin policy: "Maybe"',
    },
  ])('$name', async ({ rest, err }) => {
    const files = { '/home/.kube/config': config, '/home/.kube/kuberc': preference(rest) };
    const connect = () => Promise.reject(new Error('connected'));
    expect((await kubectl(['get', '--raw', '/version'], files, { connect })).err).toContain(err);
  });
});

describe('global flags', () => {
  test.each([
    { flag: '--profile=nothing', err: "unknown profile 'nothing'" },
    { flag: '--profile=mutex', err: "profile 'mutex' is one of Go programs" },
  ])('$flag is refused', async ({ flag, err }) => {
    expect(await kubectl(['version', '--client', flag], {})).toMatchObject({
      code: 1,
      err: expect.stringContaining(err),
    });
  });

  test('--profile of debug is another flag', async () => {
    const { err } = await kubectl(
      ['debug', 'pod/x', '--image=y', '--profile=general', '--server=http://nowhere.test'],
      {},
    );
    expect(err).not.toContain('unknown profile');
    expect(err).toContain('no network');
  });

  test('--profile=cpu writes what the machine recorded, also when the command fails', async () => {
    const files: Record<string, string> = {};
    const profile = async (kind: string) => async () => `profile of ${kind}`;
    const words = ['version', '--client', '--output=xml', '--profile=cpu', '--profile-output=/project/p'];
    expect((await kubectl(words, files, { profile })).code).toBe(1);
    expect(files['/project/p']).toBe('profile of cpu');
  });
});
