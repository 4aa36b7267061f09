// Packs the chunks of a program into one file for the launcher (apps/coracle/src/launching): an index, and every chunk as
// an expression that V8 compiles as a script, because compiled code can be kept for scripts alone.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { transform } from 'esbuild';

const lengthDigits = 10;
/** Methods may be called `import` too: only one that is awaited is an import. */
const computedImport = /\bawait import\((?!["'`])/g;

/**
 * @param {import('esbuild').BuildResult} built modules that esbuild has split and not written
 * @param {{ file: string, entry: string, words: readonly string[] }} options
 */
export async function packChunks({ outputFiles = [] }, { file, entry, words }) {
  const texts = await Promise.all(
    outputFiles.map(async ({ path, text }) => [basename(path), await asExpression(text)]),
  );
  texts.sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256');
  const chunks = {};
  let offset = 0;
  for (const [name, text] of texts) {
    if (chunks[name]) throw new Error(`two chunks are called ${name}`);
    chunks[name] = [offset, text.length];
    offset += text.length;
    hash.update(name).update(text);
  }
  const index = JSON.stringify({ entry, hash: hash.digest('hex').slice(0, 16), words, chunks });
  writeFileSync(
    file,
    String(index.length).padStart(lengthDigits, '0') + index + texts.map(([, text]) => text).join(''),
  );
}

/**
 * Imports become calls of `require`, which the launcher provides. Imports of a file that is known at run time only, such
 * as a plugin, become calls of its `importModule`: `require` knows no URLs.
 */
async function asExpression(text) {
  const { code } = await transform(withConstantImports(text).replace(computedImport, 'await importModule('), {
    format: 'cjs',
    platform: 'node',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'moduleUrl' },
  });
  // The module's own table of getters, not a copy that delegates to it.
  const live = code.replace(
    /module\.exports=__toCommonJS\((\w+)\)/,
    'module.exports=__defProp($1,"__esModule",{value:true})',
  );
  // esbuild writes strings in ASCII, but leaves regular expressions as they are.
  const ascii = live.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // Modules are strict code; the function says so itself.
  return `(function(exports,require,module,moduleUrl,importModule){"use strict";${ascii}\n})`;
}

/**
 * Imports from other chunks, which come first in the text, as constants. esbuild would call a getter at every use, for
 * exports that change later and chunks that import each other; ours do neither.
 */
function withConstantImports(text) {
  const statement = /import(?:\{([^}]*)\}from)?"(\.\/[^"]+)";/y;
  let constants = '';
  let end = 0;
  for (let found = statement.exec(text); found; found = statement.exec(text)) {
    const [, names, chunk] = found;
    constants += names ? `const{${names.replaceAll(' as ', ':')}}=require("${chunk}");` : `require("${chunk}");`;
    end = statement.lastIndex;
  }
  return constants + text.slice(end);
}
