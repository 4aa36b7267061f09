import { CelError } from './cel-error.js';
import { regex } from './functions/strings.js';

/** How much one evaluation may spend, and has spent. One unit is one step of the expression. */
export class CostBudget {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  get exceeded(): boolean {
    return this.#left < 0;
  }

  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw costExceeded();
  }
}

export function costExceeded(): CelError {
  return new CelError('cost', 'operation cancelled: actual cost limit exceeded');
}

type Evaluate = (evaluator: unknown, node: unknown, context: unknown) => unknown;

/** What is used of the library's syntax tree. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly alternate?: Node; readonly macro?: object; readonly evaluate: Evaluate };
  setMeta(key: string, value: unknown): unknown;
}

/**
 * Makes the parts of an expression that can run long report what they cost: each turn of a loop costs as much as its
 * body has steps, and joining text or lists costs their length. `budget` gives the budget of the evaluation under way.
 *
 * The library has no hook for this. It evaluates a node by the function in the node's `meta`, which is wrapped here.
 */
export function meterCost(root: unknown, budget: () => CostBudget): number {
  let size = 0;
  for (const node of nodesOf(root)) {
    size++;
    if (node.op === 'comprehension') meterLoop(node, budget);
    else if (node.op === '+') meterJoin(node, budget);
    else if (isMatch(node)) matchInLinearTime(node, budget);
  }
  return size;
}

function meterLoop(node: Node, budget: () => CostBudget): void {
  const { step } = node.args as { readonly step: Node };
  const cost = nodesOf(step).length;
  wrap(step, (run) => {
    budget().spend(cost);
    return run();
  });
}

function meterJoin(node: Node, budget: () => CostBudget): void {
  wrap(node, (run) => {
    const result = run();
    if (typeof result === 'string') budget().spend(Math.ceil(result.length / 10));
    else if (Array.isArray(result)) budget().spend(result.length);
    return result;
  });
}

function isMatch({ op, args }: Node): boolean {
  return op === 'rcall' && Array.isArray(args) && args[0] === 'matches' && args[2]?.length === 1;
}

/** The library's own `matches` leaves it to JavaScript, which some patterns keep busy for ever. Costs are the release's. */
function matchInLinearTime(node: Node, budget: () => CostBudget): void {
  const [, receiver, [argument]] = node.args as [string, Node, [Node]];
  const { evaluate } = node.meta;
  const matching: Evaluate = (evaluator, self, context) => {
    const text = receiver.meta.evaluate(evaluator, receiver, context);
    const pattern = argument.meta.evaluate(evaluator, argument, context);
    if (typeof text !== 'string' || typeof pattern !== 'string') return evaluate(evaluator, self, context);
    budget().spend(Math.ceil((text.length + 1) / 10) * Math.ceil(pattern.length / 4));
    return regex(pattern).test(text);
  };
  node.setMeta('evaluate', matching);
}

function wrap(node: Node, around: (run: () => unknown) => unknown): void {
  const { evaluate } = node.meta;
  const wrapped: Evaluate = (evaluator, self, context) => around(() => evaluate(evaluator, self, context));
  node.setMeta('evaluate', wrapped);
}

/** Every node of the tree, those that macros were expanded to included. */
export function nodesOf(root: unknown): Node[] {
  const nodes: Node[] = [];
  const seen = new Set<unknown>();
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isNode(value)) {
      nodes.push(value);
      open.push(value.args, value.meta.alternate, value.meta.macro);
    } else if (Array.isArray(value)) open.push(...value);
    else if (Object.getPrototypeOf(value) === Object.prototype) open.push(...Object.values(value));
  }
  return nodes;
}

function isNode(value: object): value is Node {
  return 'op' in value && 'args' in value && 'setMeta' in value;
}
