import { nodesOf } from './cel-cost.js';

/** Fields that an expression selects one after another from a name: `self.spec.n`. */
export interface CelSelection {
  readonly root: string;
  readonly fields: readonly { readonly name: string; readonly offset: number }[];
}

/** What is used of the library's syntax tree. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly end: number;
}

/** Every selection from a name in a syntax tree, also the beginnings of longer ones, in the order of the text. */
export function selectionsOf(root: unknown): CelSelection[] {
  // The library does not publish the type of its tree; `Node` says what is relied on, and `selectionOf` checks it.
  const selections = nodesOf(root).flatMap((node) => selectionOf(node as unknown as Node) ?? []);
  const endOf = ({ fields }: CelSelection) => fields.at(-1)?.offset ?? 0;
  return selections.sort((a, b) => endOf(a) - endOf(b));
}

function selectionOf({ op, args }: Node): CelSelection | undefined {
  if (op !== '.' || !Array.isArray(args)) return undefined;
  const [receiver, name] = args as [Node, unknown];
  if (typeof name !== 'string') return undefined;
  const step = { name, offset: receiver.end };
  if (receiver.op === 'id') return { root: String(receiver.args), fields: [step] };
  const before = selectionOf(receiver);
  return before && { ...before, fields: [...before.fields, step] };
}
