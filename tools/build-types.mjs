#!/usr/bin/env node
// Writes the type declarations of the published package into apps/coracle/dist/types: those of its entries, and of what
// they use. Imports of our packages become relative ones, directly to the module that declares a name, so that only
// exported declarations are included.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outdir = join(root, 'apps/coracle/dist/types');
const entries = ['library', 'browser', 'kubectl-library'].map((name) => `apps/coracle/src/${name}.d.ts`);
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const emitted = mkdtempSync(join(root, 'node_modules/.cache/types-'));
/** Module → its text, with imports that hold in `outdir`. */
const written = new Map();
/** Package → the modules that its names come from. */
const indexes = new Map();
/**
 * Names from one of our packages, or any other import; comments do not match, because there lines begin otherwise.
 */
const imports =
  /(?<=^)(import|export)( type)? \{([^}]*)\} from ['"](@coracle\/[^'"]+)['"]|((?<=^(?:import|export)\b.*|^\} )from |(?<!\* .*)import\()['"]([^'"]+)['"]/gm;

try {
  emit();
  for (const entry of entries) visit(join(emitted, entry));
  rmSync(outdir, { recursive: true, force: true });
  for (const [module, text] of written) {
    const target = targetOf(module);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  // They describe modules, among programs that are scripts.
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }\n');
} finally {
  rmSync(emitted, { recursive: true, force: true });
}

/** `npm run check` has looked at the types: here they are only written. */
function emit() {
  const config = join(emitted, 'tsconfig.json');
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
    ...{ rootDir: root, outDir: emitted, lib: ['ES2023', 'ESNext.Disposable'], types: ['node'] },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const settings = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions,
    include: [join(root, 'packages/*/src'), join(root, 'apps/coracle/src')],
    exclude: ['**/*.test.ts', '**/*.fixture.ts', 'packages/testing'].map((path) => join(root, path)),
  };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config], { stdio: 'inherit' });
}

function visit(module) {
  if (written.has(module)) return;
  written.set(module, '');
  const text = readFileSync(module, 'utf8');
  const relocated = text.replace(imports, (all, keyword, type = '', names, named, before, specifier) =>
    named
      ? [...byOrigin(names, named)]
          .map(([origin, some]) => `${keyword}${type} { ${some.join(', ')} } from '${pathTo(module, origin)}'`)
          .join(';\n')
      : relocatedImport(all, { module, before, specifier }),
  );
  written.set(module, relocated);
}

function relocatedImport(all, { module, before, specifier }) {
  const origin = originOf(module, specifier);
  return origin === undefined ? all : `${before}'${pathTo(module, origin)}'`;
}

/** The names of an import, by the module that declares them. */
function byOrigin(names, specifier) {
  const found = new Map();
  for (const one of names.split(',').map((name) => name.trim())) {
    if (one === '') continue;
    const origin = indexOf(specifier).get(one.replace(/^type /, '').split(' as ')[0]) ?? indexModule(specifier);
    found.set(origin, [...(found.get(origin) ?? []), one]);
  }
  return found;
}

/** The exports of an index that are re-exported from another module under the same name. */
function indexOf(specifier) {
  const exportsOfIndex = indexes.get(specifier);
  if (exportsOfIndex) return exportsOfIndex;
  const index = indexModule(specifier);
  const origins = new Map();
  for (const [, names, path] of readFileSync(index, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)';/g))
    for (const name of names.split(',')) {
      const plain = name.trim().replace(/^type /, '');
      if (!plain || plain.includes(' as ')) continue;
      const declared = path.startsWith('.') ? moduleAt(index, path) : indexOf(path).get(plain);
      origins.set(plain, declared ?? index);
    }
  indexes.set(specifier, origins);
  return origins;
}

function indexModule(specifier) {
  return join(emitted, 'packages', specifier.replace('@coracle/', ''), 'src/index.d.ts');
}

function originOf(module, specifier) {
  if (specifier.startsWith('.')) return moduleAt(module, specifier);
  if (specifier.startsWith('@coracle/')) return indexModule(specifier);
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) return undefined;
  throw new Error(
    `${relative(emitted, module)} speaks of ${specifier}, which the published package does not bring along`,
  );
}

function moduleAt(module, path) {
  const found = resolve(dirname(module), path.replace(/\.js$/, '.d.ts'));
  if (!existsSync(found)) throw new Error(`${relative(emitted, module)} imports ${path}, which is not there`);
  return found;
}

/** Follows the import, and returns its specifier. */
function pathTo(module, origin) {
  visit(origin);
  const path = relative(dirname(targetOf(module)), targetOf(origin)).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** `packages/client/src/cache/x.d.ts` → `dist/types/client/cache/x.d.ts` */
function targetOf(module) {
  return join(outdir, relative(emitted, module).replace(/^(?:packages|apps)\/([^/]+)\/src\//, '$1/'));
}
