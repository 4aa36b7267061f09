import { type FieldError, type FieldPath, forbiddenField } from '@coracle/apimachinery';

/** Cost limit of one expression, over all values that a request can contain. */
const expressionLimit = 10_000_000;
/** Cost limit of all expressions of a schema together. */
const schemaLimit = 100_000_000;
const listed = 4;
const tooMuch = 2 ** 64;

export function multiplyCosts(cost: number, count: number): number {
  return Math.min(cost * count, tooMuch);
}

/** Adds up the cost of the expressions of a schema, and records the most expensive ones. */
export class RuleCosts {
  readonly #limitsEach: boolean;
  #total = 0;
  #expensive: { readonly path: FieldPath; readonly cost: number }[] = [];

  /** `limitsEach` is false for what was accepted before, maybe by a server that estimated less: the total counts. */
  constructor(limitsEach: boolean) {
    this.#limitsEach = limitsEach;
  }

  /** Records the cost of an expression; an error if it exceeds the limit by itself. */
  observe(path: FieldPath, cost: number, what: string): FieldError[] {
    this.#total = Math.min(this.#total + cost, tooMuch);
    if (cost >= 1) {
      const all = [...this.#expensive, { path, cost }].sort((a, b) => b.cost - a.cost);
      this.#expensive = all.slice(0, listed);
    }
    return this.#limitsEach && cost > expressionLimit
      ? [forbiddenField(path, overBudget(what, cost / expressionLimit))]
      : [];
  }

  checkTotal(path: FieldPath): FieldError[] {
    if (this.#total <= schemaLimit) return [];
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((one) => forbiddenField(one.path, share)),
      forbiddenField(path, overBudget(what, this.#total / schemaLimit)),
    ];
  }
}

function overBudget(what: string, factor: number): string {
  const shown = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
