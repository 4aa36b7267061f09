import type { OperatorNames } from './operator-names.js';
import { controllerSource, mainSource, manifestsSource, resourceSource, testSource } from './operator-sources.js';

/** The files of a new operator: path → contents. `coracle` is the version of that package in its package.json. */
export function operatorFiles(names: OperatorNames, coracle: string): Readonly<Record<string, string>> {
  const { name } = names;
  return {
    'package.json': `${JSON.stringify(packageJson(names, coracle), undefined, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(tsconfig, undefined, 2)}\n`,
    '.gitignore': 'node_modules\ndist\n',
    '.dockerignore': 'node_modules\ndist\n',
    Dockerfile: dockerfile,
    'README.md': readme(names),
    [`samples/${name}.yaml`]: sample(names),
    [`src/${name}.ts`]: resourceSource(names),
    [`src/${name}-controller.ts`]: controllerSource(names),
    [`src/${name}-controller.test.ts`]: testSource(names),
    'src/main.ts': mainSource(names),
    'src/manifests.ts': manifestsSource(names),
  };
}

function packageJson({ name }: OperatorNames, coracle: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      build: 'tsc --noEmit false --outDir dist',
      check: 'tsc',
      manifests: 'npm run --silent build && node dist/manifests.js',
      start: 'npm run --silent build && node dist/main.js',
      test: 'vitest run src',
    },
    dependencies: { coracle },
    devDependencies: { '@types/node': '^20.19.0', typescript: '^7.0.0', vitest: '^4.1.0' },
  };
}

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    module: 'nodenext',
    rootDir: 'src',
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

/** The image runs as a user other than root, without what only the build needs. */
const dockerfile = `FROM node:24-alpine AS build
WORKDIR /operator
COPY package.json package-lock.json* *.tgz tsconfig.json ./
RUN npm install
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:24-alpine
WORKDIR /operator
COPY --from=build /operator/package.json ./
COPY --from=build /operator/node_modules node_modules
COPY --from=build /operator/dist dist
USER 1000:1000
ENTRYPOINT ["node", "dist/main.js"]
`;

function sample({ name, kind, group }: OperatorNames): string {
  return `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: ${name}-sample
spec:
  message: hello
  copies: 2
`;
}

function readme({ name, kind, group }: OperatorNames): string {
  const files = columns([
    [`src/${name}.ts`, `what a ${kind} is: types, validation and manifest come from it`],
    [`src/${name}-controller.ts`, 'what is done about one'],
    [`src/${name}-controller.test.ts`, "the same against a whole cluster in the test's own process"],
    ['src/manifests.ts', "what a cluster needs: the CRD, roles, and the operator's Deployment"],
    ['src/main.ts', 'runs it'],
    [`samples/${name}.yaml`, 'one to try'],
  ]);
  return `# ${name}

An operator for ${kind} objects of ${group}, written with Coracle.

\`\`\`
${files}
\`\`\`

\`\`\`sh
npm install
npm test                                       # no cluster, no Docker, no waiting
npx coracle up &                               # or any other Kubernetes
npm run --silent manifests | kubectl apply -f -
npm start &
kubectl apply -f samples/${name}.yaml
\`\`\`

In the cluster itself, from an image (if \`package.json\` names a package file of coracle, that must be in this folder:
\`npm install ./coracle-VERSION.tgz\`):

\`\`\`sh
docker build -t registry.example/${name}:0.1.0 . && docker push registry.example/${name}:0.1.0
npm run --silent manifests -- --image registry.example/${name}:0.1.0 | kubectl apply -f -
\`\`\`

The manifests have three roles for people, which are not bound to any user: \`${kind.toLowerCase()}-admin-role\`,
\`${kind.toLowerCase()}-editor-role\` and \`${kind.toLowerCase()}-viewer-role\`.
`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([path]) => path.length));
  return rows.map(([path, text]) => `${path.padEnd(width)}  ${text}`).join('\n');
}
