import { type CallExpression, call, constant, type Expression, type FoldExpression, list, name } from './expression.js';
import type { NodeBudget } from './node-budget.js';

/** A macro that cannot be expanded. */
export class MacroError extends Error {
  override readonly name: string = 'MacroError';
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

interface Macro {
  readonly args: number;
  readonly isMember: boolean;
  expand(use: MacroUse): Expression;
}

interface MacroUse {
  readonly offset: number;
  readonly target: Expression;
  readonly args: readonly Expression[];
  readonly budget: NodeBudget;
}

/** The name of the accumulator of a loop, which no expression can contain. */
export const accumulator = '@result';
const unusedItem = '#unused';

/** The expansion of a macro call; `undefined` if the call is not a macro. */
export function expandMacro(expression: CallExpression, budget: NodeBudget): Expression | undefined {
  const macro = macros
    .get(expression.function)
    ?.find(({ args, isMember }) => args === expression.args.length && isMember === (expression.target !== undefined));
  if (!macro) return undefined;
  budget.spend(8);
  const { offset, args, target = constant(offset, null) } = expression;
  return macro.expand({ offset, target, args, budget });
}

function has({ offset, args }: MacroUse): Expression {
  const [arg] = args;
  if (arg?.kind !== 'select' || arg.testOnly)
    throw new MacroError(arg?.offset ?? offset, 'invalid argument to has() macro');
  return { kind: 'select', offset, operand: arg.operand, field: arg.field, testOnly: true };
}

/** The parts of one kind of loop; `accu` creates a reference to the accumulator. */
interface Loop {
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result?: Expression;
}

function fold(use: MacroUse, variables: readonly string[], loop: Loop): FoldExpression {
  const [item = '', second] = variables;
  return {
    kind: 'fold',
    offset: use.offset,
    range: use.target,
    item,
    second,
    accumulator,
    initial: loop.initial,
    condition: loop.condition,
    step: loop.step,
    result: loop.result ?? name(use.offset, accumulator),
  };
}

/** The names of the loop's variables, which precede its body. */
function variablesOf({ args }: MacroUse, count: number): string[] {
  const names = args.slice(0, count).map((arg) => {
    if (arg.kind !== 'name') throw new MacroError(arg.offset, 'argument must be a simple name');
    if (arg.name === '__result__' || arg.name === accumulator)
      throw new MacroError(arg.offset, 'iteration variable overwrites accumulator variable');
    return arg.name;
  });
  if (names.length === 2 && names[0] === names[1])
    throw new MacroError(args[1]?.offset ?? 0, `duplicate variable name: ${names[0]}`);
  return names;
}

function argument({ args, offset }: MacroUse, index: number): Expression {
  return args[index] ?? constant(offset, null);
}

function all(count: number): Macro['expand'] {
  return (use) => {
    const accu = () => name(use.offset, accumulator);
    const variables = variablesOf(use, count);
    return fold(use, variables, {
      initial: constant(use.offset, true),
      condition: call(use.offset, '@not_strictly_false', [accu()]),
      step: call(use.offset, '_&&_', [accu(), argument(use, count)]),
    });
  };
}

function exists(count: number): Macro['expand'] {
  return (use) => {
    const accu = () => name(use.offset, accumulator);
    const variables = variablesOf(use, count);
    return fold(use, variables, {
      initial: constant(use.offset, false),
      condition: call(use.offset, '@not_strictly_false', [call(use.offset, '!_', [accu()])]),
      step: call(use.offset, '_||_', [accu(), argument(use, count)]),
    });
  };
}

function existsOne(count: number): Macro['expand'] {
  return (use) => {
    const { offset } = use;
    const accu = () => name(offset, accumulator);
    const variables = variablesOf(use, count);
    const increased = call(offset, '_+_', [accu(), constant(offset, 1n)]);
    return fold(use, variables, {
      initial: constant(offset, 0n),
      condition: constant(offset, true),
      step: call(offset, '_?_:_', [argument(use, count), increased, accu()]),
      result: call(offset, '_==_', [accu(), constant(offset, 1n)]),
    });
  };
}

/** Loops that gather a list: with one more argument, only where that holds. */
function gatherList(count: number, isFiltered: boolean): Macro['expand'] {
  return (use) => {
    const { offset } = use;
    const accu = () => name(offset, accumulator);
    const variables = variablesOf(use, count);
    const value = argument(use, count + (isFiltered ? 1 : 0));
    const added = call(offset, '_+_', [accu(), list(offset, [value])]);
    return fold(use, variables, {
      initial: list(offset, []),
      condition: constant(offset, true),
      step: isFiltered ? call(offset, '_?_:_', [argument(use, count), added, accu()]) : added,
    });
  };
}

function filter(use: MacroUse): Expression {
  const { offset } = use;
  const accu = () => name(offset, accumulator);
  const variables = variablesOf(use, 1);
  const added = call(offset, '_+_', [accu(), list(offset, [name(offset, variables[0] ?? '')])]);
  return fold(use, variables, {
    initial: list(offset, []),
    condition: constant(offset, true),
    step: call(offset, '_?_:_', [argument(use, 1), added, accu()]),
  });
}

function gatherMap(
  insert: (use: MacroUse, value: Expression) => readonly Expression[],
  isFiltered: boolean,
): Macro['expand'] {
  return (use) => {
    const { offset } = use;
    const accu = () => name(offset, accumulator);
    const variables = variablesOf(use, 2);
    const added = call(offset, 'cel.@mapInsert', [accu(), ...insert(use, argument(use, isFiltered ? 3 : 2))]);
    return fold(use, variables, {
      initial: { kind: 'map', offset, entries: [] },
      condition: constant(offset, true),
      step: isFiltered ? call(offset, '_?_:_', [argument(use, 2), added, accu()]) : added,
    });
  };
}

const keyAndValue = (use: MacroUse, value: Expression): readonly Expression[] => {
  const key = argument(use, 0);
  return [use.budget.copy(key), value];
};
const entryOnly = (_: MacroUse, value: Expression): readonly Expression[] => [value];

/** Binds one value to a name: a loop without iterations. */
function bind(use: {
  readonly offset: number;
  readonly name: string;
  readonly value: Expression;
  readonly body: Expression;
}) {
  const { offset } = use;
  const loop: FoldExpression = {
    kind: 'fold',
    offset,
    range: list(offset, []),
    item: unusedItem,
    second: undefined,
    accumulator: use.name,
    initial: use.value,
    condition: constant(offset, false),
    step: name(offset, use.name),
    result: use.body,
  };
  return loop;
}

function optionalMap(isFlat: boolean): Macro['expand'] {
  return (use) => {
    const { offset, target } = use;
    const variable = argument(use, 0);
    if (variable.kind !== 'name')
      throw new MacroError(
        variable.offset,
        `${isFlat ? 'optFlatMap' : 'optMap'}() variable name must be a simple identifier`,
      );
    const value = call(offset, 'value', [], use.budget.copy(target));
    const body = bind({ offset, name: variable.name, value, body: argument(use, 1) });
    const mapped = isFlat ? body : call(offset, 'optional.of', [body]);
    return call(offset, '_?_:_', [call(offset, 'hasValue', [], target), mapped, call(offset, 'optional.none', [])]);
  };
}

function sortBy(use: MacroUse): Expression {
  const { offset, target } = use;
  if (target.kind === 'constant' || target.kind === 'map' || target.kind === 'message')
    throw new MacroError(
      target.offset,
      'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
    );
  const input = '@__sortBy_input__';
  const keys = gatherList(1, false)({ ...use, target: name(offset, input) });
  const sorted = call(offset, '@sortByAssociatedKeys', [keys], name(offset, input));
  return bind({ offset, name: input, value: target, body: sorted });
}

function member(args: number, expand: Macro['expand']): Macro {
  return { args, isMember: true, expand };
}

const macros: ReadonlyMap<string, readonly Macro[]> = new Map([
  ['has', [{ args: 1, isMember: false, expand: has }]],
  ['all', [member(2, all(1)), member(3, all(2))]],
  ['exists', [member(2, exists(1)), member(3, exists(2))]],
  ['exists_one', [member(2, existsOne(1)), member(3, existsOne(2))]],
  ['existsOne', [member(2, existsOne(1)), member(3, existsOne(2))]],
  ['map', [member(2, gatherList(1, false)), member(3, gatherList(1, true))]],
  ['filter', [member(2, filter)]],
  ['transformList', [member(3, gatherList(2, false)), member(4, gatherList(2, true))]],
  ['transformMap', [member(3, gatherMap(keyAndValue, false)), member(4, gatherMap(keyAndValue, true))]],
  ['transformMapEntry', [member(3, gatherMap(entryOnly, false)), member(4, gatherMap(entryOnly, true))]],
  ['optMap', [member(2, optionalMap(false))]],
  ['optFlatMap', [member(2, optionalMap(true))]],
  ['sortBy', [member(2, sortBy)]],
]);
