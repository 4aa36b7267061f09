import type { FunctionDeclaration, Overload } from '../overload.js';
import { type CelType, namedTypes } from '../values/cel-type.js';
import { authorizerFunctions, authorizerTypes } from './authorizer.js';
import { conversions } from './conversions.js';
import { formatFunctions, formatTypes } from './formats.js';
import { listFunctions } from './lists.js';
import { networkFunctions, networkTypes } from './network.js';
import { operators } from './operators.js';
import { optionalFunctions } from './optionals.js';
import { quantityFunctions, quantityTypes } from './quantities.js';
import { semverFunctions, semverTypes } from './semver.js';
import { stringFunctions } from './strings.js';
import { times } from './times.js';
import { urlFunctions, urlTypes } from './urls.js';

export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

/** Functions of one name are declared in several places: `indexOf` of text and of lists. */
export function functionTable(declarations: readonly FunctionDeclaration[], base?: FunctionTable): FunctionTable {
  const table = new Map(base);
  for (const { name, overloads } of declarations)
    table.set(name, [...(table.get(name) ?? []), ...overloads.map((one) => ({ ...one, function: name }))]);
  return table;
}

/** The functions of CEL, and those that Kubernetes v1.36 adds. */
export const standardFunctions: FunctionTable = /* @__PURE__ */ functionTable([
  ...operators,
  ...conversions,
  ...times,
  ...stringFunctions,
  ...listFunctions,
  ...optionalFunctions,
  ...urlFunctions,
  ...networkFunctions,
  ...quantityFunctions,
  ...semverFunctions,
  ...formatFunctions,
  ...authorizerFunctions,
]);

/** Types that have a name in expressions: `type(self.x) == string`. */
export const standardTypes: ReadonlyMap<string, CelType> = /* @__PURE__ */ new Map(
  [
    ...namedTypes,
    ...urlTypes,
    ...networkTypes,
    ...quantityTypes,
    ...semverTypes,
    ...formatTypes,
    ...authorizerTypes,
  ].map((type) => [type.name, type]),
);
