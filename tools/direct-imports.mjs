// An esbuild plugin: an import from one of our packages is redirected to the module that declares the name, past the
// package's index. esbuild splits a bundle by files: through an index, a program that imports one name would load
// everything that any other part of the program imports from the same package.
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** @param {string} root the repository */
export function directImports(root) {
  /** Package → name → the module and the name that it has there. */
  const indexes = new Map();

  /** @type {import('esbuild').Plugin} */
  return {
    name: 'direct-imports',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\/(packages|apps)\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => ({
        contents: rewritten(await readFile(path, 'utf8')),
        loader: 'ts',
      }));
    },
  };

  function rewritten(text) {
    return withDirectCalls(withDirectStatements(text));
  }

  function withDirectStatements(text) {
    return text.replace(/^(import|export) \{([^}]*)\} from '(@coracle\/[^']+)';/gm, (all, keyword, names, from) => {
      const byModule = new Map();
      for (const one of namesIn(names)) {
        const [name, local = name] = one.split(' as ');
        const origin = indexOf(from)?.get(name);
        if (!origin) return all;
        const imported = origin.name === local ? local : `${origin.name} as ${local}`;
        byModule.set(origin.module, [...(byModule.get(origin.module) ?? []), imported]);
      }
      // On the line where the import was, so that the lines of stack traces stay.
      const lines = all.split('\n').length - 1;
      const direct = [...byModule].map(
        ([module, some]) => `${keyword} { ${some.join(', ')} } from ${JSON.stringify(module)};`,
      );
      return `${direct.join(' ')}${'\n'.repeat(lines)}`;
    });
  }

  /** The same for `const { a, b } = await import('@coracle/x')`, whose names stay as they are. */
  function withDirectCalls(text) {
    return text.replace(/const \{([\w\s,]*)\} = await import\('(@coracle\/[^']+)'\);/g, (all, names, from) => {
      const origins = namesIn(names).map((name) => [name, indexOf(from)?.get(name)]);
      if (origins.some(([name, origin]) => origin?.name !== name)) return all;
      const modules = [...new Set(origins.map(([, { module }]) => `import(${JSON.stringify(module)})`))];
      if (modules.length === 1) return `const {${names}} = await ${modules[0]};`;
      return `const {${names}} = Object.assign({}, ...(await Promise.all([${modules.join(', ')}])));`;
    });
  }

  function indexOf(specifier) {
    const exportsOfIndex = indexes.get(specifier);
    if (exportsOfIndex) return exportsOfIndex;
    const index = join(root, 'packages', specifier.replace('@coracle/', ''), 'src/index.ts');
    if (!existsSync(index)) return undefined;
    const origins = new Map();
    indexes.set(specifier, origins);
    const text = readFileSync(index, 'utf8');
    for (const [, from] of text.matchAll(/^export \* from '(\.[^']+)';/gm)) {
      const module = resolve(dirname(index), from).replace(/\.js$/, '.ts');
      for (const name of declaredIn(readFileSync(module, 'utf8'))) origins.set(name, { name, module });
    }
    for (const [, names, from] of text.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm))
      for (const one of namesIn(names)) {
        const [name, exported = name] = one.split(' as ');
        const origin = from.startsWith('.')
          ? { name, module: resolve(dirname(index), from).replace(/\.js$/, '.ts') }
          : indexOf(from)?.get(name);
        if (origin) origins.set(exported, origin);
      }
    return origins;
  }
}

/** The values that a module declares and exports. */
function declaredIn(text) {
  return [...text.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|class|const|let|enum) (\w+)/gm)].map(
    ([, name]) => name,
  );
}

/** The names of values: types leave no import behind. */
function namesIn(list) {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
