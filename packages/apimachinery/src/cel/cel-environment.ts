import { Environment } from '@marcbachmann/cel-js';
import { CostBudget, costExceeded, meterCost } from './cel-cost.js';
import { CelError, compileError, evaluationError } from './cel-error.js';
import { type CelSelection, selectionsOf } from './cel-selections.js';
import { registerFormats } from './functions/formats.js';
import { registerLists } from './functions/lists.js';
import { registerNetwork } from './functions/network.js';
import { registerQuantities } from './functions/quantities.js';
import { registerSemver } from './functions/semver.js';
import { registerStrings } from './functions/strings.js';
import { registerUrls } from './functions/urls.js';

/** What one evaluation may cost, as the release has it. */
const defaultCostLimit = 1_000_000;

export interface CelEnvironmentOptions {
  /** The names that expressions may use, with their types: `dyn`, `string`, `map<string, dyn>`, … */
  readonly variables: Readonly<Record<string, string>>;
  readonly costLimit?: number;
  /** Adds functions and types that only this place has, such as the authorizer of admission policies. */
  readonly extend?: (environment: Environment) => void;
}

/** Compiles expressions with the functions that Kubernetes adds to CEL. Making one is costly: keep it. */
export class CelEnvironment {
  readonly #environment: Environment;
  readonly #costLimit: number;

  constructor(options: CelEnvironmentOptions) {
    const environment = new Environment({
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: 10_000, maxDepth: 100 },
    });
    for (const register of libraries) register(environment);
    for (const [name, type] of Object.entries(options.variables)) environment.registerVariable(name, type);
    options.extend?.(environment);
    this.#environment = environment;
    this.#costLimit = options.costLimit ?? defaultCostLimit;
  }

  /** Throws a `CelError` with the position of what is wrong. */
  compile(expression: string): CelProgram {
    try {
      const parsed = this.#environment.parse(expression);
      const checked = parsed.check();
      if (!checked.valid) throw checked.error;
      return new CelProgram(parsed, checked.type ?? 'dyn', this.#costLimit);
    } catch (error) {
      throw CelError.is(error) ? error : compileError(expression, error as Error);
    }
  }
}

const libraries: readonly ((environment: Environment) => void)[] = [
  registerQuantities,
  registerUrls,
  registerStrings,
  registerLists,
  registerNetwork,
  registerFormats,
  registerSemver,
];

type Parsed = ReturnType<Environment['parse']>;

/** A compiled expression. */
export class CelProgram {
  /** The type of what it gives, such as `bool`; `dyn` when that is known only when it runs. */
  readonly type: string;
  readonly #run: Parsed;
  readonly #costLimit: number;
  readonly #size: number;
  /** Of the evaluation under way. Evaluations do not wait, so there is only one at a time. */
  #budget: CostBudget;

  constructor(parsed: Parsed, type: string, costLimit: number) {
    this.type = type;
    this.#run = parsed;
    this.#costLimit = costLimit;
    this.#budget = new CostBudget(costLimit);
    this.#size = meterCost(parsed.ast, () => this.#budget);
  }

  /** For checks of fields against a schema, which the types that are declared here know nothing of. */
  get selections(): readonly CelSelection[] {
    return selectionsOf(this.#run.ast);
  }

  /** `variables` are values of CEL; see `toCel`. Throws a `CelError`. */
  evaluate(variables: Readonly<Record<string, unknown>>, costLimit: number = this.#costLimit): unknown {
    const budget = new CostBudget(costLimit - this.#size);
    this.#budget = budget;
    let result: unknown;
    try {
      result = this.#run(variables);
    } catch (error) {
      if (budget.exceeded) throw costExceeded();
      throw CelError.is(error) ? error : evaluationError(error as Error);
    }
    // `exists` goes on when an item fails, and would hide that the budget is spent.
    if (budget.exceeded) throw costExceeded();
    return result;
  }
}
