/** Position and source text of a node, for messages. */
export interface Place {
  readonly position: number;
  readonly source: string;
}

export type Operand =
  | ({ readonly kind: 'dot' } & Place)
  | ({ readonly kind: 'nil' } & Place)
  | ({ readonly kind: 'constant'; readonly value: string | number | bigint | boolean } & Place)
  | ({ readonly kind: 'field'; readonly path: readonly string[] } & Place)
  | ({ readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] } & Place)
  | ({ readonly kind: 'function'; readonly name: string } & Place)
  | ({ readonly kind: 'pipe'; readonly pipe: Pipe; readonly path: readonly string[] } & Place);

/** A command: an operand, or a function and its arguments. */
export interface Command extends Place {
  readonly operands: readonly Operand[];
}

export interface Pipe extends Place {
  readonly variables: readonly string[];
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

export type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly pipe: Pipe }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipe: Pipe;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | ({ readonly kind: 'template'; readonly name: string; readonly pipe?: Pipe } & Place)
  | { readonly kind: 'break' }
  | { readonly kind: 'continue' };

export interface ParsedTemplate {
  readonly name: string;
  readonly source: string;
  readonly body: readonly Node[];
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
}
