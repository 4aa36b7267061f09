import { RE2JS } from 're2js';

/**
 * A regular expression as Go has them: clients write them, so reading and matching take time in proportion to the text,
 * whatever the pattern is. JavaScript's own may take exponential time.
 */
export interface GoRegexp {
  /** Whether some part of the text matches. */
  test(text: string): boolean;
  /** The parts that match, from left to right, at most `limit` of them. */
  find(text: string, limit: number): string[];
}

/** An invalid pattern. The message is Go's: ``error parsing regexp: missing closing ): `a(` ``. */
export class GoRegexpError extends Error {
  override readonly name: string = 'GoRegexpError';
}

/** Patterns are few, and reading one costs far more than finding it. Bounded, and never wrong. */
const cache = /* @__PURE__ */ new Map<string, GoRegexp>();
const mostKnown = 1_000;

/** Throws a `GoRegexpError`. */
export function goRegexp(pattern: string): GoRegexp {
  const found = cache.get(pattern);
  if (found) return found;
  const made = compile(pattern);
  if (cache.size >= mostKnown) cache.clear();
  cache.set(pattern, made);
  return made;
}

function compile(pattern: string): GoRegexp {
  try {
    const expression = RE2JS.compile(pattern);
    return {
      test: (text) => expression.test(text),
      find: (text, limit) => findIn(expression, text, limit),
    };
  } catch (error) {
    throw new GoRegexpError(error instanceof Error ? error.message : `error parsing regexp: \`${pattern}\``);
  }
}

function findIn(expression: RE2JS, text: string, limit: number): string[] {
  const matcher = expression.matcher(text);
  const found: string[] = [];
  let end = -1;
  while (found.length < limit && matcher.find()) {
    // An empty match right after a match is not a match.
    if (matcher.end() > matcher.start() || matcher.start() !== end) found.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return found;
}
