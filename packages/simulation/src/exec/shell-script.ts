/** One command of a script, and when it runs. */
export interface ScriptStep {
  readonly words: readonly string[];
  /** After the one before: always, if it went well, or if it failed. */
  readonly runs: 'always' | 'on-success' | 'on-failure';
  /** The target of standard output: the next stage, standard error (`>&2`), or a file (`> file`, `>> file`). */
  readonly output: 'stdout' | 'stderr' | { readonly file: string; readonly appends: boolean };
}

const separators: Readonly<Record<string, ScriptStep['runs']>> = {
  '&&': 'on-success',
  '||': 'on-failure',
  ';': 'always',
  '\n': 'always',
};

/** Words, quoted words, redirections and separators. */
const token = /(\n|;|&&|\|\||\||&(?!\d))|(\d?>>?&?\s*[^\s;&|]+)|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"';|&>])+)/g;

/**
 * The commands of a small shell script: `a; b && c || d`, with quotes, variables and redirections of output.
 * `undefined` if it has what only a real shell can do: pipes, loops, jobs in the background.
 */
export function parseScript(script: string, variables: Readonly<Record<string, string>>): ScriptStep[] | undefined {
  const steps: ScriptStep[] = [];
  let current: { words: string[]; output: ScriptStep['output'] } = { words: [], output: 'stdout' };
  let runs: ScriptStep['runs'] = 'always';
  const finish = () => {
    if (current.words.length > 0) steps.push({ ...current, runs });
    current = { words: [], output: 'stdout' };
  };
  for (const [, separator, redirection, word] of withoutComments(script).matchAll(token)) {
    if (separator !== undefined) {
      const next = separators[separator];
      if (!next) return undefined;
      finish();
      runs = next;
    } else if (redirection !== undefined) current.output = outputOf(expand(redirection, variables), current.output);
    else if (word !== undefined) current.words.push(expand(word, variables));
  }
  finish();
  return steps.some(({ words }) => keywords.has(words[0] ?? '')) ? undefined : steps;
}

const keywords = new Set(['while', 'until', 'for', 'if', 'case', 'function', '{', '(', 'trap', 'do', 'then']);

function withoutComments(script: string): string {
  return script.replace(/^\s*#.*$/gm, '');
}

/** `2> file` and `2>&1` leave standard output where it was. */
function outputOf(redirection: string, before: ScriptStep['output']): ScriptStep['output'] {
  const [, from = '', arrow = '', to = ''] = /^(\d?)(>>?)\s*(.*)$/.exec(redirection) ?? [];
  if (from === '2') return before;
  if (to === '&2' || to === '/dev/stderr') return 'stderr';
  return to === '&1' || to === '/dev/stdout' ? 'stdout' : { file: to, appends: arrow === '>>' };
}

/** Removes the quotes, and expands variables outside of single quotes. */
function expand(word: string, variables: Readonly<Record<string, string>>): string {
  const valued = (text: string) =>
    text.replace(
      /\$(?:\{(\w+)\}|(\w+))/g,
      (_, braced?: string, bare?: string) => variables[braced ?? bare ?? ''] ?? '',
    );
  return word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^"'\\]+)/g, (...parts: (string | undefined)[]) => {
    const [, double, single, escaped, bare] = parts;
    if (double !== undefined) return valued(double).replace(/\\(["\\$`])/g, '$1');
    return single ?? escaped ?? valued(bare ?? '');
  });
}
