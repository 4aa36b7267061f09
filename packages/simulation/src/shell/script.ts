/** A word of a script, before its variables have values. Quoted parts are neither split nor compared with file names. */
export type Word = readonly WordPart[];

export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | ParameterPart
  | { readonly kind: 'substitution'; readonly script: Script; readonly quoted: boolean }
  | { readonly kind: 'arithmetic'; readonly expression: Word; readonly quoted: boolean };

/** `$NAME`, `${#NAME}`, `${NAME:-WORD}`. */
export interface ParameterPart {
  readonly kind: 'parameter';
  readonly name: string;
  readonly quoted: boolean;
  readonly length?: boolean;
  readonly change?: { readonly operator: string; readonly word: Word };
}

/** `2> FILE`, `>> FILE`, `< FILE`, `2>&1`. */
export interface Redirection {
  readonly descriptor: number;
  readonly kind: 'read' | 'write' | 'append' | 'duplicate';
  readonly target: Word;
}

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
}

/** A condition, and what runs if it holds. */
export interface Branch {
  readonly condition: Script;
  readonly body: Script;
}

export type Command =
  | SimpleCommand
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: Script }
  | ({ readonly kind: 'loop'; readonly until: boolean } & Branch)
  | { readonly kind: 'for'; readonly name: string; readonly items: readonly Word[] | undefined; readonly body: Script }
  | {
      readonly kind: 'case';
      readonly subject: Word;
      readonly branches: readonly { readonly patterns: readonly Word[]; readonly body: Script }[];
    }
  | { readonly kind: 'group'; readonly subshell: boolean; readonly body: Script }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command };

export type Stage = Command & { readonly redirections: readonly Redirection[] };

/** One pipeline, and when it runs. */
export interface ScriptStep {
  /** After the one before: always, if it went well, or if it failed. */
  readonly runs: 'always' | 'on-success' | 'on-failure';
  /** `! a | b`: the exit code is inverted. */
  readonly negated: boolean;
  readonly stages: readonly Stage[];
  /** `a &`: what follows does not wait for it. */
  readonly background: boolean;
}

export type Script = readonly ScriptStep[];

/** The text of a word without variables; `undefined` for one with variables. */
export function literalOf(word: Word | undefined): string | undefined {
  if (!word) return undefined;
  return word.every((part) => part.kind === 'text')
    ? word.map((part) => (part.kind === 'text' ? part.text : '')).join('')
    : undefined;
}
