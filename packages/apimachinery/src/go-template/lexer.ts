/** An error in a template. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'field'
  | 'variable'
  | 'word'
  | 'number'
  | 'string'
  | 'char'
  | 'symbol'
  | 'space'
  | 'dot'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly position: number;
}

const inside: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['string', /"(?:[^"\\\n]|\\.)*"|`[^`]*`/y],
  ['char', /'(?:[^'\\\n]|\\.[^']*)'/y],
  [
    'number',
    /[+-]?(?:0[xX][0-9a-fA-F_]+|0[oO]?[0-7_]+(?![.\d])|0[bB][01_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y,
  ],
  ['field', /\.[\p{L}_][\p{L}\p{N}_]*/uy],
  ['dot', /\./y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['symbol', /:=|[|()=,]/y],
];

/** Splits a template into text and the tokens of its actions. */
export function tokenize(source: string, name: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const fail: (message: string, position?: number) => never = (message, position = at) => {
    throw new TemplateError(`template: ${name}:${lineAt(source, position)}: ${message}`);
  };
  let trimNext = false;
  while (at < source.length) {
    const open = source.indexOf('{{', at);
    let text = source.slice(at, open < 0 ? undefined : open);
    if (trimNext) text = text.trimStart();
    trimNext = false;
    const trimsLeft = open >= 0 && /^\{\{-\s/.test(source.slice(open, open + 4));
    if (trimsLeft) text = text.trimEnd();
    if (text !== '') tokens.push({ kind: 'text', text, position: at });
    if (open < 0) break;
    at = open + (trimsLeft ? 3 : 2);
    const comment = /^\s*\/\*[\s\S]*?\*\//.exec(source.slice(at));
    if (comment) {
      at += comment[0].length;
      const close = /^(\s+-)?\}\}/.exec(source.slice(at));
      if (!close) fail('comment ends before closing delimiter');
      at += close?.[0].length ?? 0;
      trimNext = Boolean(close?.[1]);
      continue;
    }
    tokens.push({ kind: 'open', text: '{{', position: open });
    for (;;) {
      const close = /^(?:\s+-\}\}|\}\})/.exec(source.slice(at, at + 80));
      if (close) {
        tokens.push({ kind: 'close', text: close[0], position: at });
        trimNext = close[0].includes('-');
        at += close[0].length;
        break;
      }
      if (at >= source.length) fail('unclosed action');
      const token = nextToken(source, at);
      if (!token) {
        const letter = source[at] ?? '';
        if (letter === '"') fail('unterminated quoted string');
        if (letter === '`') fail('unterminated raw quoted string');
        if (letter === "'") fail('unterminated character constant');
        fail(`unexpected ${JSON.stringify(letter)} in command`);
      }
      if (token.kind === 'space' && token.text.includes('\n') && source.indexOf('}}', at) < 0) fail('unclosed action');
      tokens.push(token);
      at += token.text.length;
    }
  }
  tokens.push({ kind: 'end', text: '', position: source.length });
  return tokens;
}

function nextToken(source: string, at: number): Token | undefined {
  for (const [kind, pattern] of inside) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match) return { kind, text: match[0], position: at };
  }
  return undefined;
}

export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}
