import { admissionVariables, findPolicyType, policyFunctions } from '@coracle/api';
import {
  CelEnvironment,
  CelError,
  CelMap,
  type CelOutcome,
  type CelProgram,
  type CelValue,
  EvaluationFailure,
  fromJson,
} from '@coracle/apimachinery';

/** The cost budget for all expressions of one policy. */
const totalCost = 10_000_000;

export type Values = Readonly<Record<string, CelValue>>;

const variableNames = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables', 'authorizer'];

/** Compiles the expressions of policies. */
export class PolicyEnvironment {
  #environment: CelEnvironment | undefined;

  compile(source: string): PolicyExpression {
    this.#environment ??= new CelEnvironment({
      variables: admissionVariables(variableNames),
      functions: policyFunctions,
      findMessageType: findPolicyType,
    });
    try {
      return new PolicyExpression(source, this.#environment.compile(source));
    } catch (error) {
      if (CelError.is(error)) return new PolicyExpression(source, error);
      throw error;
    }
  }
}

/** An expression of a policy. One that does not compile fails at each evaluation. */
export class PolicyExpression {
  readonly source: string;
  readonly #program: CelProgram | CelError;

  constructor(source: string, program: CelProgram | CelError) {
    this.source = source;
    this.#program = program;
  }

  run(values: Values, budget: Budget): CelOutcome {
    if (CelError.is(this.#program)) return { error: this.#program, cost: 0 };
    const outcome = this.#program.run(values);
    budget.spend(outcome.cost);
    return outcome;
  }

  /** The text of the failure in messages. */
  failureText(error: CelError): string {
    return `expression '${this.source}' resulted in error: ${error.message}`;
  }
}

/** The remaining cost budget of one policy. */
export class Budget {
  #left = totalCost;

  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0)
      throw new CelError(
        'cost',
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
  }
}

/** `variables`: each is evaluated when it is first read. */
export class LazyVariables extends CelMap {
  readonly #expressions: ReadonlyMap<string, PolicyExpression>;
  readonly #values: () => Values;
  readonly #budget: Budget;
  readonly #results = new Map<string, CelValue>();

  constructor(expressions: ReadonlyMap<string, PolicyExpression>, values: () => Values, budget: Budget) {
    super();
    this.#expressions = expressions;
    this.#values = values;
    this.#budget = budget;
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): Iterable<CelValue> {
    return this.#expressions.keys();
  }

  override has(key: CelValue): boolean {
    return typeof key === 'string' && this.#expressions.has(key);
  }

  get(key: CelValue): CelValue | undefined {
    const expression = typeof key === 'string' ? this.#expressions.get(key) : undefined;
    if (!expression) return undefined;
    const cachedValue = this.#results.get(key as string);
    if (cachedValue !== undefined) return cachedValue;
    const { value, error } = expression.run(this.#values(), this.#budget);
    if (error)
      throw new EvaluationFailure(`composited variable ${JSON.stringify(key)} fails to evaluate: ${error.message}`);
    this.#results.set(key as string, value);
    return value;
  }
}

/** JSON as a CEL value; missing fields are null. */
export function celValue(json: unknown): CelValue {
  return json === undefined ? null : fromJson(json);
}
