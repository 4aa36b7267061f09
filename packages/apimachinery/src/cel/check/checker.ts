import type { FunctionTable } from '../library/standard-library.js';
import type { Overload } from '../overload.js';
import {
  type CallExpression,
  descendants,
  type Expression,
  type ExpressionVisitor,
  type FoldExpression,
  type ListExpression,
  type MapExpression,
  type MessageExpression,
  type NameExpression,
  qualifiedName,
  type SelectExpression,
  visit,
} from '../syntax/expression.js';
import type { CelIssue } from '../syntax/source-text.js';
import {
  boolType,
  CelType,
  dynType,
  errorType,
  intType,
  isOptional,
  listType,
  mapType,
  optionalType,
  sameType,
  typeOfType,
  typeParameter,
} from '../values/cel-type.js';
import { typeOfValue } from '../values/cel-value.js';
import type { FindMessageType } from '../values/message-type.js';
import { assign, assignAll, join, type Substitution, substitute } from './unify.js';

/** The declarations that an expression may use. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: FunctionTable;
  readonly types: ReadonlyMap<string, CelType>;
  readonly findMessageType: FindMessageType;
}

/** Resolves the type of every part of an expression and the overloads of every call; reports type errors. */
export function checkTypes(expression: Expression, declarations: Declarations): CelIssue[] {
  const checker = new Checker(declarations);
  checker.check(expression);
  checker.resolve(expression);
  return checker.issues;
}

class Checker {
  readonly issues: CelIssue[] = [];
  readonly #declarations: Declarations;
  /** Variables of loops, the innermost last. */
  readonly #scopes: Map<string, CelType>[] = [];
  readonly #types: ExpressionVisitor<CelType> = {
    constant: ({ value }) => typeOfValue(value),
    name: (expression) => this.#name(expression),
    select: (expression) => this.#select(expression),
    call: (expression) => this.#call(expression),
    list: (expression) => this.#list(expression),
    map: (expression) => this.#map(expression),
    message: (expression) => this.#message(expression),
    fold: (expression) => this.#fold(expression),
  };
  #substitution: Substitution = new Map();
  #parameters = 0;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  check(expression: Expression): CelType {
    const type = visit(expression, this.#types);
    expression.type = type;
    return type;
  }

  /** Types with all that was learnt of their parameters. */
  resolve(expression: Expression): void {
    for (const one of descendants(expression)) if (one.type) one.type = substitute(this.#substitution, one.type, true);
  }

  #refuse(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return errorType;
  }

  #undeclared(offset: number, name: string): CelType {
    return this.#refuse(offset, `undeclared reference to '${name}' (in container '')`);
  }

  #newParameter(): CelType {
    return typeParameter(`_var${this.#parameters++}`);
  }

  #local(name: string): CelType | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const type = this.#scopes[i]?.get(name);
      if (type) return type;
    }
    return undefined;
  }

  /** The type of what is declared under a name: a variable, or a type, whose type is `type`. */
  #declared(name: string): CelType | undefined {
    const { variables, types } = this.#declarations;
    const type = types.get(name);
    return variables.get(name) ?? (type && typeOfType(type));
  }

  #name(expression: NameExpression): CelType {
    const local = this.#local(expression.name);
    if (local) return local;
    expression.name = expression.name.replace(/^\./, '');
    return this.#declared(expression.name) ?? this.#undeclared(expression.offset, expression.name);
  }

  #select(expression: SelectExpression): CelType {
    const name = qualifiedName(expression)?.replace(/^\./, '');
    const declared = name === undefined || this.#local(name.split('.')[0] ?? '') ? undefined : this.#declared(name);
    if (declared && name !== undefined) {
      expression.qualified = name;
      return declared;
    }
    const type = this.#fieldType(this.check(expression.operand), expression.field, expression.offset);
    return expression.testOnly && type !== errorType ? boolType : type;
  }

  /** A field of an absent value is absent: selecting from an optional value returns an optional. */
  #fieldType(operand: CelType, field: string, offset: number): CelType {
    const type = substitute(this.#substitution, operand, false);
    if (isOptional(type)) {
      const inner = this.#fieldType(type.parameters[0] ?? dynType, field, offset);
      return inner === errorType || isOptional(inner) ? inner : optionalType(inner);
    }
    switch (type.kind) {
      case 'map':
        return type.parameters[1] ?? dynType;
      case 'object':
        return type.fieldType?.(field) ?? this.#refuse(offset, `undefined field '${field}'`);
      case 'parameter':
        this.#substitution = assign(this.#substitution, dynType, type) ?? this.#substitution;
        return dynType;
      case 'dyn':
      case 'error':
        return dynType;
      default:
        return this.#refuse(offset, `type '${type}' does not support field selection`);
    }
  }

  #call(expression: CallExpression): CelType {
    if (expression.function === '_?._') return this.#optionalSelect(expression);
    const { functions } = this.#declarations;
    for (const arg of expression.args) this.check(arg);
    if (!expression.target) {
      expression.function = expression.function.replace(/^\./, '');
      const overloads = functions.get(expression.function);
      return overloads
        ? this.#resolveOverload(expression, overloads)
        : this.#undeclared(expression.offset, expression.function);
    }
    const prefix = qualifiedName(expression.target);
    const namespaced = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${expression.function}`;
    const inNamespace = namespaced === undefined ? undefined : functions.get(namespaced);
    if (namespaced !== undefined && inNamespace) {
      expression.function = namespaced;
      expression.target = undefined;
      return this.#resolveOverload(expression, inNamespace);
    }
    this.check(expression.target);
    const overloads = functions.get(expression.function);
    return overloads
      ? this.#resolveOverload(expression, overloads)
      : this.#undeclared(expression.offset, expression.function);
  }

  #optionalSelect(expression: CallExpression): CelType {
    const [operand, field] = expression.args;
    if (!operand || field?.kind !== 'constant') return errorType;
    this.check(field);
    expression.overloads = this.#declarations.functions.get('_?._') ?? [];
    const type = this.#fieldType(this.check(operand), String(field.value), expression.offset);
    return type === errorType || isOptional(type) ? type : optionalType(type);
  }

  #resolveOverload(expression: CallExpression, overloads: readonly Overload[]): CelType {
    const operands = expression.target ? [expression.target, ...expression.args] : expression.args;
    const types = operands.map(({ type = dynType }) => type);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.isMember !== (expression.target !== undefined)) continue;
      const { parameters, result: resultType } = this.#instantiate(overload);
      const substitution = assignAll(this.#substitution, types, parameters);
      if (!substitution) continue;
      this.#substitution = substitution;
      matching.push(overload);
      const type = substitute(substitution, resultType, false);
      if (!result) result = type;
      else if (!result.isDynamic && !sameType(result, type)) result = dynType;
    }
    expression.overloads = matching;
    return result ?? this.#noOverload(expression, types);
  }

  #noOverload({ function: name, target, offset }: CallExpression, types: readonly CelType[]): CelType {
    const shown = types.map((type) => String(substitute(this.#substitution, type, true)));
    const applied = target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#refuse(offset, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  /** The overload with fresh type parameters, so that two calls do not share them. */
  #instantiate({ parameters, result }: Overload): { parameters: CelType[]; result: CelType } {
    const fresh = new Map<string, CelType>();
    const renew = (type: CelType): CelType => {
      if (type.kind === 'parameter') {
        let parameter = fresh.get(type.name);
        if (!parameter) fresh.set(type.name, (parameter = this.#newParameter()));
        return parameter;
      }
      return type.parameters.length === 0 ? type : new CelType(type.kind, type.name, type.parameters.map(renew));
    };
    return { parameters: parameters.map(renew), result: renew(result) };
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    const { type, substitution } = join(this.#substitution, previous, current);
    this.#substitution = substitution;
    return type;
  }

  /** What is written `?item` must be optional; its value is what counts. */
  #valueOf(expression: Expression, optional: boolean): CelType {
    const type = this.check(expression);
    if (!optional || type.isDynamic) return type;
    if (isOptional(type)) return type.parameters[0] ?? dynType;
    return this.#refuse(expression.offset, `expected type '${optionalType(type)}' but found '${type}'`);
  }

  #list({ items, optional }: ListExpression): CelType {
    let type: CelType | undefined;
    for (const [i, item] of items.entries()) type = this.#join(type, this.#valueOf(item, optional.has(i)));
    return listType(type ?? this.#newParameter());
  }

  #map({ entries }: MapExpression): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of entries) {
      keys = this.#join(keys, this.check(key));
      values = this.#join(values, this.#valueOf(value, optional));
    }
    return mapType(keys ?? this.#newParameter(), values ?? this.#newParameter());
  }

  #message(expression: MessageExpression): CelType {
    const message = this.#declarations.findMessageType(expression.name);
    if (!message) return this.#undeclared(expression.offset, expression.name);
    for (const { name, offset, value, optional } of expression.fields) {
      const type = this.#valueOf(value, optional);
      const fieldType = message.fieldType(name);
      if (!fieldType) {
        this.#refuse(offset, `undefined field '${name}'`);
        continue;
      }
      const substitution = assign(this.#substitution, type, fieldType);
      if (substitution) this.#substitution = substitution;
      else this.#refuse(offset, `expected type of field '${name}' is '${fieldType}' but provided type is '${type}'`);
    }
    return message.type;
  }

  #fold(expression: FoldExpression): CelType {
    const { range, initial, condition, step, result } = expression;
    const items = this.#itemTypes(expression, substitute(this.#substitution, this.check(range), false));
    const accumulated = this.check(initial);
    const outer = new Map([[expression.accumulator, accumulated]]);
    const inner = new Map([[expression.item, items[0]]]);
    if (expression.second !== undefined) inner.set(expression.second, items[1]);
    this.#scopes.push(outer, inner);
    this.#expect(condition, boolType);
    this.#expect(step, accumulated);
    this.#scopes.pop();
    const type = this.check(result);
    this.#scopes.pop();
    return substitute(this.#substitution, type, false);
  }

  #expect(expression: Expression, expectedType: CelType): void {
    const type = this.check(expression);
    const substitution = assign(this.#substitution, type, expectedType);
    if (substitution) this.#substitution = substitution;
    else this.#refuse(expression.offset, `expected type '${expectedType}' but found '${type}'`);
  }

  /** The types of a loop's variables. */
  #itemTypes({ range, second }: FoldExpression, type: CelType): readonly [CelType, CelType] {
    const [first = dynType, value = dynType] = type.parameters;
    switch (type.kind) {
      case 'list':
        return second === undefined ? [first, dynType] : [intType, first];
      case 'map':
        return [first, value];
      case 'dyn':
      case 'error':
      case 'parameter':
        return [dynType, dynType];
      default: {
        const message = `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`;
        this.#refuse(range.offset, message);
        return [errorType, errorType];
      }
    }
  }
}
