/** An expression that cannot be evaluated. */
export class ArithmeticError extends Error {
  override readonly name: string = 'ArithmeticError';
}

type Operation = (a: number, b: number) => number;

/** Binary operators, those that bind the least first. */
const levels: readonly Readonly<Record<string, Operation>>[] = [
  { '||': (a, b) => Number(a !== 0 || b !== 0) },
  { '&&': (a, b) => Number(a !== 0 && b !== 0) },
  { '|': (a, b) => a | b },
  { '^': (a, b) => a ^ b },
  { '&': (a, b) => a & b },
  { '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b) },
  {
    '<': (a, b) => Number(a < b),
    '<=': (a, b) => Number(a <= b),
    '>': (a, b) => Number(a > b),
    '>=': (a, b) => Number(a >= b),
  },
  { '<<': (a, b) => a << b, '>>': (a, b) => a >> b },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => quotient(a, b), '%': (a, b) => a - quotient(a, b) * b },
];

function quotient(a: number, b: number): number {
  if (b === 0) throw new ArithmeticError('divide by zero');
  return Math.trunc(a / b);
}

const token = /\s*(\d+|[A-Za-z_]\w*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&|^!~()?:])/y;

/** The value of `1 + N * 2`, with the values of its variables; those without one are 0. */
export function evaluate(expression: string, variable: (name: string) => string | undefined): number {
  const tokens = tokensOf(expression);
  const value = tokens.length === 0 ? 0 : conditional(tokens, variable);
  if (tokens.length > 0) throw new ArithmeticError('arithmetic syntax error');
  return value;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  const text = expression.trimEnd();
  while (token.lastIndex < text.length) {
    const found = token.exec(text)?.[1];
    if (found === undefined) throw new ArithmeticError('arithmetic syntax error');
    tokens.push(found);
  }
  return tokens;
}

type Variables = (name: string) => string | undefined;

function conditional(tokens: string[], variable: Variables): number {
  const condition = binary(tokens, 0, variable);
  if (tokens[0] !== '?') return condition;
  tokens.shift();
  const yes = conditional(tokens, variable);
  if (tokens.shift() !== ':') throw new ArithmeticError('arithmetic syntax error');
  const no = conditional(tokens, variable);
  return condition === 0 ? no : yes;
}

function binary(tokens: string[], level: number, variable: Variables): number {
  const operations = levels[level];
  if (!operations) return unary(tokens, variable);
  let value = binary(tokens, level + 1, variable);
  for (;;) {
    const operation = Object.hasOwn(operations, tokens[0] ?? '') ? operations[tokens[0] ?? ''] : undefined;
    if (!operation) return value;
    tokens.shift();
    value = operation(value, binary(tokens, level + 1, variable));
  }
}

function unary(tokens: string[], variable: Variables): number {
  const first = tokens.shift() ?? '';
  if (first === '-') return -unary(tokens, variable);
  if (first === '+') return unary(tokens, variable);
  if (first === '!') return Number(unary(tokens, variable) === 0);
  if (first === '~') return ~unary(tokens, variable);
  if (first === '(') {
    const value = conditional(tokens, variable);
    if (tokens.shift() !== ')') throw new ArithmeticError('arithmetic syntax error');
    return value;
  }
  if (/^\d/.test(first)) return Number(first);
  if (!/^\w/.test(first)) throw new ArithmeticError('arithmetic syntax error');
  return Number.parseInt(variable(first) || '0', 10) || 0;
}
