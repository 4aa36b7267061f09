import { describe, expect, test } from 'vitest';
import { type MemoryHost, memoryHost } from '../command/memory-host.fixture.js';
import type { Host, Processes } from '../host.js';
import type { Fields } from '../values.js';
import { buildKustomization } from './build.js';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1", env: [{name: COLOUR, valueFrom: {configMapKeyRef: {name: settings, key: colour}}}]}
`;
const settings =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: red, path: /var/log/app}\n';

function hostWith(files: Readonly<Record<string, string>>): MemoryHost {
  const all = { 'deployment.yaml': deployment, 'settings.yaml': settings, ...files };
  return memoryHost(Object.fromEntries(Object.entries(all).map(([name, text]) => [`/project/${name}`, text])));
}

async function build(kustomization: string, files: Readonly<Record<string, string>> = {}): Promise<Fields[]> {
  return buildKustomization(hostWith({ 'kustomization.yaml': kustomization, ...files }), '.');
}

const both = 'resources: [deployment.yaml, settings.yaml]\n';

/** A plugin of the file `plugin.yaml`, on the deployment and the config map; returns them in that order. */
async function withTransformer(plugin: string, files: Readonly<Record<string, string>> = {}) {
  const text = `${both}transformers: [plugin.yaml]\nsortOptions: {order: fifo}\n`;
  const [web, map] = await build(text, { 'plugin.yaml': `apiVersion: builtin\n${plugin}`, ...files });
  return { web, map };
}

describe('built-in transformers that files configure', () => {
  test.each([
    {
      name: 'LabelTransformer adds labels to the fields that it names',
      plugin:
        'kind: LabelTransformer\nmetadata: {name: a}\nlabels: {team: boats}\nfieldSpecs: [{path: metadata/labels, create: true}, {path: spec/template/metadata/labels, kind: Deployment}]\n',
      expected: {
        web: {
          metadata: { labels: { team: 'boats' } },
          spec: { template: { metadata: { labels: { app: 'web', team: 'boats' } } } },
        },
        map: { metadata: { labels: { team: 'boats' } } },
      },
    },
    {
      name: 'AnnotationsTransformer adds annotations, with a slash in a key of the path',
      plugin:
        'kind: AnnotationsTransformer\nmetadata: {name: a}\nannotations: {b: c}\nfieldSpecs: [{path: metadata/annotations, create: true, kind: ConfigMap}]\n',
      expected: { map: { metadata: { annotations: { b: 'c' } } } },
    },
    {
      name: 'NamespaceTransformer moves all objects',
      plugin: 'kind: NamespaceTransformer\nmetadata: {name: a, namespace: harbour}\n',
      expected: { web: { metadata: { namespace: 'harbour' } }, map: { metadata: { namespace: 'harbour' } } },
    },
    {
      name: 'PrefixTransformer changes names, and references follow',
      plugin: 'kind: PrefixTransformer\nmetadata: {name: a}\nprefix: my-\nfieldSpecs: [{path: metadata/name}]\n',
      expected: {
        web: {
          metadata: { name: 'my-web' },
          spec: {
            template: {
              spec: { containers: [{ env: [{ valueFrom: { configMapKeyRef: { name: 'my-settings' } } }] }] },
            },
          },
        },
      },
    },
    {
      name: 'SuffixTransformer changes the names of the kinds that it names',
      plugin:
        'kind: SuffixTransformer\nmetadata: {name: a}\nsuffix: -2\nfieldSpecs: [{path: metadata/name, kind: ConfigMap}]\n',
      expected: { web: { metadata: { name: 'web' } }, map: { metadata: { name: 'settings-2' } } },
    },
    {
      name: 'ImageTagTransformer changes images',
      plugin: 'kind: ImageTagTransformer\nmetadata: {name: a}\nimageTag: {name: nginx, newTag: "2"}\n',
      expected: { web: { spec: { template: { spec: { containers: [{ image: 'nginx:2' }] } } } } },
    },
    {
      name: 'ReplicaCountTransformer scales',
      plugin:
        'kind: ReplicaCountTransformer\nmetadata: {name: a}\nreplica: {name: web, count: 7}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]\n',
      expected: { web: { spec: { replicas: 7 } } },
    },
    {
      name: 'PatchTransformer patches its target, inline and by strategic merge',
      plugin:
        'kind: PatchTransformer\nmetadata: {name: a}\ntarget: {kind: Deployment}\npatch: |-\n  kind: Deployment\n  metadata: {name: x}\n  spec: {template: {spec: {containers: [{name: web, tty: true}]}}}\n',
      expected: { web: { spec: { template: { spec: { containers: [{ image: 'nginx:1', tty: true }] } } } } },
    },
    {
      name: 'PatchTransformer reads its patch from a file',
      plugin: 'kind: PatchTransformer\nmetadata: {name: a}\ntarget: {kind: ConfigMap}\npath: patch.yaml\n',
      files: { 'patch.yaml': '[{op: replace, path: /data/colour, value: blue}]' },
      expected: { map: { data: { colour: 'blue' } } },
    },
    {
      name: 'PatchJson6902Transformer patches by operations',
      plugin:
        'kind: PatchJson6902Transformer\nmetadata: {name: a}\ntarget: {kind: ConfigMap, name: settings}\njsonOp: |-\n  [{"op": "add", "path": "/data/size", "value": "1"}]\n',
      expected: { map: { data: { colour: 'red', size: '1' } } },
    },
    {
      name: 'PatchStrategicMergeTransformer patches by files and in place',
      plugin:
        'kind: PatchStrategicMergeTransformer\nmetadata: {name: a}\npaths: [patch.yaml]\npatches: |-\n  {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {size: "2"}}\n',
      files: { 'patch.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 4}\n' },
      expected: { web: { spec: { replicas: 4 } }, map: { data: { size: '2' } } },
    },
    {
      name: 'ReplacementTransformer copies values',
      plugin:
        'kind: ReplacementTransformer\nmetadata: {name: a}\nreplacements:\n- source: {kind: ConfigMap, fieldPath: data.colour}\n  targets: [{select: {kind: Deployment}, fieldPaths: [metadata.labels.colour], options: {create: true}}]\n',
      expected: { web: { metadata: { labels: { colour: 'red' } } } },
    },
    {
      name: 'ValueAddTransformer sets a field',
      plugin:
        'kind: ValueAddTransformer\nmetadata: {name: a}\nvalue: harbour\ntargets: [{selector: {kind: ConfigMap}, fieldPath: data/place}, {selector: {kind: ConfigMap}, fieldPath: data/path, filePathPosition: 2}]\n',
      expected: { map: { data: { place: 'harbour', path: '/var/harbour/app' } } },
    },
  ])('$name', async ({ plugin, files, expected }) => {
    expect(await withTransformer(plugin, files)).toMatchObject(expected);
  });

  test('are read in place, from files and from folders with a kustomization', async () => {
    const label = (name: string) =>
      `apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: ${name}}\nlabels: {${name}: "1"}\nfieldSpecs: [{path: metadata/labels, create: true}]\n`;
    const inPlace = label('c').replaceAll(/^/gm, '  ').trimEnd();
    const [map] = await build(`resources: [settings.yaml]\ntransformers:\n- a.yaml\n- more\n- |-\n${inPlace}\n`, {
      'a.yaml': label('a'),
      'more/kustomization.yaml': 'resources: [b.yaml]\n',
      'more/b.yaml': label('b'),
    });
    expect(map).toMatchObject({ metadata: { labels: { a: '1', b: '1', c: '1' } } });
  });

  test('sort, and append hashes', async () => {
    const text = `${both}generators: [g.yaml]\ntransformers: [h.yaml, s.yaml]\nsortOptions: {order: fifo}\n`;
    const objects = await build(text, {
      'g.yaml': 'apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: key, namespace: n}\nliterals: [a=b]\n',
      'h.yaml': 'apiVersion: builtin\nkind: HashTransformer\nmetadata: {name: h}\n',
      's.yaml': 'apiVersion: builtin\nkind: LegacyOrderTransformer\nmetadata: {name: s}\n',
    });
    expect(objects.map(({ kind, metadata }) => [kind, (metadata as Fields)['name']])).toEqual([
      ['ConfigMap', 'settings'],
      ['Secret', expect.stringMatching(/^key-[a-z0-9]{10}$/)],
      ['Deployment', 'web'],
    ]);
  });
});

test('built-in generators that files configure add objects', async () => {
  const objects = await build('generators: [g.yaml]\n', {
    'g.yaml':
      'apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nliterals: [a=b]\noptions: {disableNameSuffixHash: true}\n',
  });
  expect(objects).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data: { a: 'b' } }]);
});

describe('the layers of a build', () => {
  test('a component changes what is there, and replacements and vars copy values', async () => {
    const objects = await build(
      `${both}components: [part]
replacements:
- source: {kind: ConfigMap, fieldPath: data.path, options: {delimiter: /, index: 2}}
  targets: [{select: {kind: Deployment}, fieldPaths: ["spec.template.spec.containers.[name=web].image"], options: {delimiter: ":", index: 1}}]
vars:
- {name: PLACE, objref: {apiVersion: v1, kind: ConfigMap, name: settings}, fieldref: {fieldpath: data.colour}}
sortOptions: {order: fifo}
`,
      {
        'part/kustomization.yaml':
          'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [service.yaml]\nreplicas: [{name: web, count: 3}]\n',
        'part/service.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: s, annotations: {place: $(PLACE)}}\n',
      },
    );
    expect(objects).toMatchObject([
      { spec: { replicas: 3, template: { spec: { containers: [{ image: 'nginx:log' }] } } } },
      { kind: 'ConfigMap' },
      { metadata: { annotations: { place: 'red' } } },
    ]);
  });

  test('configurations name fields of unknown kinds', async () => {
    const [boat] = await build(
      `resources: [boat.yaml, settings.yaml]\nnamePrefix: my-\nimages: [{name: sail, newTag: "2"}]\nconfigurations: [config.yaml]\nsortOptions: {order: fifo}\n`,
      {
        'boat.yaml':
          'apiVersion: example.org/v1\nkind: Boat\nmetadata: {name: b}\nspec: {map: settings, image: "sail:1"}\n',
        'config.yaml':
          'nameReference: [{kind: ConfigMap, fieldSpecs: [{kind: Boat, path: spec/map}]}]\nimages: [{kind: Boat, path: spec/image}]\n',
      },
    );
    expect(boat).toMatchObject({ metadata: { name: 'my-b' }, spec: { map: 'my-settings', image: 'sail:2' } });
  });

  test('buildMetadata adds annotations with the origin and transformers of an object', async () => {
    const [map] = await build('resources: [base]\nbuildMetadata: [managedByLabel, originAnnotations]\n', {
      'base/kustomization.yaml': 'resources: [map.yaml]\n',
      'base/map.yaml': settings,
    });
    expect(map).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'kustomize-v5.8.1' },
        annotations: { 'config.kubernetes.io/origin': 'path: base/map.yaml\n' },
      },
    });
  });

  test('documents on web servers are read', async () => {
    const host: Host = {
      ...hostWith({ 'kustomization.yaml': 'resources: ["https://example.org/settings.yaml"]\n' }),
      network: {
        fetch: async () => ({ status: 200, statusText: 'OK', body: new TextEncoder().encode(settings) }),
        listen: () => Promise.reject(new Error('no')),
        serveHttp: () => Promise.reject(new Error('no')),
      },
    };
    expect(await buildKustomization(host, '.')).toMatchObject([{ kind: 'ConfigMap' }]);
  });
});

describe('errors of a build', () => {
  const changing =
    'apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: x-\nfieldSpecs: [{path: metadata/name}]\n';
  test.each([
    {
      name: 'a remote base',
      text: 'resources: ["github.com/example/repo//base?ref=v1"]\n',
      problem: /remote base "github\.com\/example\/repo\/\/base\?ref=v1" is refused/,
    },
    {
      name: 'a chart, unless Helm may be run',
      text: 'helmCharts: [{name: web}]\n',
      problem: /must specify --enable-helm/,
    },
    {
      name: 'a program, unless plugins may be run',
      text: 'transformers: [p.yaml]\nresources: [settings.yaml]\n',
      files: { 'p.yaml': 'apiVersion: example.org/v1\nkind: Painter\nmetadata: {name: p}\n' },
      problem: /external plugins disabled; unable to load external plugin 'Painter'/,
    },
    {
      name: 'a container function',
      text: 'transformers: [p.yaml]\nresources: [settings.yaml]\n',
      files: {
        'p.yaml':
          'apiVersion: example.org/v1\nkind: Painter\nmetadata: {name: p, annotations: {config.kubernetes.io/function: "container: {image: x}"}}\n',
      },
      problem: /'p' is a container function/,
    },
    {
      name: 'a built-in plugin that does not exist',
      text: 'transformers: [p.yaml]\nresources: [settings.yaml]\n',
      files: { 'p.yaml': 'apiVersion: builtin\nkind: Painter\nmetadata: {name: p}\n' },
      problem: /unable to load builtin Painter/,
    },
    {
      name: 'a validator that changes something',
      text: 'validators: [p.yaml]\nresources: [settings.yaml]\n',
      files: { 'p.yaml': changing },
      problem: /validator PrefixTransformer shouldn't modify the resource map/,
    },
    {
      name: 'a file that is not there',
      text: 'transformers: [absent.yaml]\nresources: [settings.yaml]\n',
      problem: /loading transformers: .*no such file or directory/,
    },
    {
      name: 'a kustomization that contains itself',
      text: 'resources: [below]\n',
      files: { 'below/kustomization.yaml': 'resources: [..]\n' },
      problem: /cycle detected/,
    },
    {
      name: 'a configuration with an unknown field',
      text: 'configurations: [c.yaml]\nresources: [settings.yaml]\n',
      files: { 'c.yaml': 'colours: []\n' },
      problem: /unknown field "colours"/,
    },
  ])('$name', async ({ text, files, problem }) => {
    await expect(build(text, files)).rejects.toThrow(problem);
  });
});

describe('programs of a build, where they may be run', () => {
  function withProcesses(files: Readonly<Record<string, string>>, run: Processes['run']): Host {
    return { ...hostWith(files), processes: { run, isExecutable: async () => true } };
  }

  test('Helm renders a chart with the values in place', async () => {
    const seen: (readonly string[])[] = [];
    const host = withProcesses(
      {
        'kustomization.yaml':
          'namespace: harbour\nhelmCharts: [{name: web, releaseName: r, includeCRDs: true, valuesInline: {a: 1}}]\n',
        'charts/web/Chart.yaml': 'name: web\n',
      },
      async (command) => {
        seen.push(command);
        return { exitCode: 0, stdout: settings };
      },
    );
    const objects = await buildKustomization(host, '.', { plugins: { helm: true, helmKubeVersion: '1.36' } });
    expect(objects).toMatchObject([{ kind: 'ConfigMap', metadata: { namespace: 'harbour' } }]);
    expect(seen).toEqual([
      [
        ...['helm', 'template', 'r', '/project/charts/web', '-f', expect.stringMatching(/^\/tmp\/kustomize-helm-/)],
        ...['--kube-version', '1.36', '--include-crds'],
      ],
    ]);
  });

  test('a chart that is not there is pulled, and a failure of Helm is reported', async () => {
    const host = withProcesses(
      { 'kustomization.yaml': 'helmCharts: [{name: web, repo: "https://charts.example.org", version: 1.2.3}]\n' },
      async ([, verb = '']) => ({ exitCode: verb === 'pull' ? 1 : 0, stdout: '' }),
    );
    await expect(buildKustomization(host, '.', { plugins: { helm: true } })).rejects.toThrow(
      "unable to run: 'helm pull --untar --untardir /project/charts/web-1.2.3 --version 1.2.3 --repo https://charts.example.org web': exit status 1",
    );
  });

  test('a plugin changes what it reads', async () => {
    const host = withProcesses(
      {
        'kustomization.yaml': 'resources: [settings.yaml]\ntransformers: [p.yaml]\n',
        'p.yaml': 'apiVersion: example.org/v1\nkind: Painter\nmetadata: {name: p}\ncolour: blue\n',
      },
      async ([program], { input = '', env }) => {
        expect(program).toBe('/home/.config/kustomize/plugin/example.org/v1/painter/Painter');
        expect(env?.['KUSTOMIZE_PLUGIN_CONFIG_STRING']).toContain('colour: blue');
        return { exitCode: 0, stdout: input.replace('red', 'blue') };
      },
    );
    const objects = await buildKustomization(host, '.', { plugins: { programs: true } });
    expect(objects).toMatchObject([{ data: { colour: 'blue' } }]);
  });
});
