/** One command line, and its expected output. */
export interface Step {
  readonly words: readonly string[];
  readonly input?: object | string;
  /** All of standard output, or a part of it. */
  readonly out?: string | RegExp;
  /** A part of standard error. */
  readonly err?: string | RegExp;
  readonly code?: number;
}

export interface ServerCase {
  readonly name: string;
  readonly steps: readonly Step[];
}

const colours = (colour: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'colours', ...more },
  data: { colour },
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
  },
};

const gadgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', shortNames: ['gd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', description: 'What it is.', properties: { size: { type: 'integer' } } },
            },
          },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  },
};

/** kubectl with an API server alone, without controllers and nodes. Each case has its own objects. */
export const serverCases: readonly ServerCase[] = [
  {
    name: 'apply creates, leaves alone, configures, and is undone',
    steps: [
      { words: ['apply', '-f', '-'], input: colours('red'), out: 'configmap/colours created\n' },
      { words: ['apply', '-f', '-'], input: colours('red'), out: 'configmap/colours unchanged\n' },
      { words: ['apply', '-f', '-'], input: colours('blue'), out: 'configmap/colours configured\n' },
      { words: ['get', 'cm', 'colours', '-o', 'jsonpath={.data.colour}'], out: 'blue' },
      { words: ['apply', 'view-last-applied', 'cm/colours', '-o', 'json'], out: /"colour": "blue"/ },
      { words: ['delete', 'cm', 'colours'], out: /^configmap "colours" deleted/ },
      { words: ['get', 'cm', 'colours'], code: 1, err: 'Error from server (NotFound): configmaps "colours" not found' },
    ],
  },
  {
    name: 'server-side apply tells of conflicts and forces',
    steps: [
      {
        words: ['apply', '--server-side', '--field-manager=one', '-f', '-'],
        input: colours('red', { name: 'owned' }),
        out: 'configmap/owned serverside-applied\n',
      },
      {
        words: ['apply', '--server-side', '--field-manager=two', '-f', '-'],
        input: colours('blue', { name: 'owned' }),
        code: 1,
        err: 'Apply failed with 1 conflict: conflict with "one": .data.colour',
      },
      {
        words: ['apply', '--server-side', '--force-conflicts', '--field-manager=two', '-f', '-'],
        input: colours('blue', { name: 'owned' }),
        out: 'configmap/owned serverside-applied\n',
      },
    ],
  },
  {
    name: 'labels, annotations, patches, scale and set change what they say',
    steps: [
      { words: ['create', '-f', '-'], input: deployment, out: 'deployment.apps/web created\n' },
      { words: ['label', 'deploy/web', 'tier=front'], out: 'deployment.apps/web labeled\n' },
      { words: ['annotate', 'deploy/web', 'note=x'], out: 'deployment.apps/web annotated\n' },
      { words: ['set', 'image', 'deploy/web', 'web=nginx:2'], out: 'deployment.apps/web image updated\n' },
      { words: ['set', 'env', 'deploy/web', 'A=b'], out: 'deployment.apps/web env updated\n' },
      { words: ['patch', 'deploy/web', '-p', '{"spec":{"paused":true}}'], out: 'deployment.apps/web patched\n' },
      { words: ['scale', 'deploy/web', '--replicas=3', '--current-replicas=0'], out: 'deployment.apps/web scaled\n' },
      { words: ['rollout', 'pause', 'deploy/web'], code: 1, err: 'is already paused' },
      {
        words: [
          'get',
          'deploy',
          '-l',
          'tier=front',
          '-o',
          'custom-columns=N:.metadata.name,R:.spec.replicas',
          '--no-headers',
        ],
        out: /^web +3\n$/,
      },
      {
        words: ['get', 'deploy/web', '-o', 'go-template={{range .spec.template.spec.containers}}{{.image}}{{end}}'],
        out: 'nginx:2',
      },
      { words: ['get', 'deploy'], out: /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/3 / },
      { words: ['describe', 'deploy/web'], out: /^Name: +web\n/ },
    ],
  },
  {
    name: 'what is wrong is refused in the words of kubectl and the server',
    steps: [
      { words: ['create', 'configmap', 'Bad_Name'], code: 1, err: 'Invalid value: "Bad_Name"' },
      { words: ['get', 'spaceships'], code: 1, err: 'the server doesn\'t have a resource type "spaceships"' },
      {
        words: ['create', '-f', '-'],
        input: { ...deployment, spec: { ...deployment.spec, wings: 2 } },
        code: 1,
        err: 'unknown field "spec.wings"',
      },
      { words: ['apply', '-f', '-'], input: 'a: [', code: 1, err: 'error' },
      {
        words: ['create', 'namespace', 'default'],
        code: 1,
        err: 'Error from server (AlreadyExists): namespaces "default" already exists',
      },
      {
        words: ['replace', '-f', '-'],
        input: colours('x', { name: 'absent' }),
        code: 1,
        err: 'configmaps "absent" not found',
      },
    ],
  },
  {
    name: 'dry runs change nothing',
    steps: [
      { words: ['create', 'cm', 'dry', '--dry-run=server'], out: 'configmap/dry created (server dry run)\n' },
      { words: ['create', 'cm', 'dry', '--dry-run=client', '-o', 'name'], out: 'configmap/dry\n' },
      { words: ['get', 'cm', 'dry'], code: 1, err: 'not found' },
    ],
  },
  {
    name: 'custom resources are served, explained and printed as their CRD says',
    steps: [
      { words: ['apply', '-f', '-'], input: gadgets, out: /gadgets\.example\.org (?:created|unchanged|configured)\n$/ },
      {
        words: ['wait', '--for=condition=Established', 'crd/gadgets.example.org', '--timeout=60s'],
        out: /condition met\n$/,
      },
      {
        words: ['create', '-f', '-'],
        input: { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one' }, spec: { size: 7 } },
        out: 'gadget.example.org/one created\n',
      },
      { words: ['get', 'gd'], out: /^NAME +SIZE\none +7\n$/ },
      { words: ['explain', 'gadget.spec'], out: /What it is\./ },
      { words: ['delete', 'crd', 'gadgets.example.org', '--wait=false'], out: /deleted/ },
    ],
  },
  {
    name: 'discovery, versions, access and raw paths',
    steps: [
      { words: ['api-resources', '--api-group=apps', '-o', 'name'], out: /deployments\.apps\n/ },
      { words: ['api-versions'], out: /^apps\/v1$/m },
      { words: ['version'], out: /Server Version: v1\.36/ },
      { words: ['auth', 'can-i', 'create', 'deployments.apps'], out: 'yes\n' },
      { words: ['get', '--raw', '/healthz'], out: 'ok' },
      { words: ['explain', 'deployment.spec.replicas'], out: /FIELD: replicas <integer>/ },
    ],
  },
  {
    name: 'lists come in chunks and sorted',
    steps: [
      { words: ['create', 'cm', 'chunk-b', '--from-literal=n=2'], out: /created/ },
      { words: ['create', 'cm', 'chunk-a', '--from-literal=n=1'], out: /created/ },
      {
        words: ['get', 'cm', '--chunk-size=1', '--sort-by=.data.n', '-o', 'name'],
        out: /chunk-a\n(?:.*\n)*?configmap\/chunk-b\n/,
      },
      { words: ['delete', 'cm', 'chunk-a', 'chunk-b'], out: /chunk-b/ },
    ],
  },
];
