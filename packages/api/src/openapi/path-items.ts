import type { Method, Operation } from './operations.js';
import type { ParameterKey } from './parameters.js';

/** How one version of OpenAPI writes an operation and a parameter. */
export interface PathWriter {
  operation(operation: Operation, own: readonly ParameterKey[]): object;
  parameter(key: ParameterKey): object;
}

export type PathItems = Record<string, Partial<Record<Method, object>> & { parameters?: object[] }>;

/** Operations by path. A parameter of all operations of a path is defined at the path. */
export function pathItems(operations: readonly Operation[], writer: PathWriter): PathItems {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  const items: PathItems = {};
  for (const path of [...byPath.keys()].sort()) items[path] = pathItem(byPath.get(path) ?? [], writer);
  return items;
}

function pathItem(operations: readonly Operation[], writer: PathWriter): PathItems[string] {
  const [first] = operations;
  const shared = (first?.parameters ?? []).filter((key) =>
    operations.every(({ parameters }) => parameters.includes(key)),
  );
  const item: PathItems[string] = {};
  for (const operation of operations) {
    const own = operation.parameters.filter((key) => !shared.includes(key));
    item[operation.method] = writer.operation(operation, own.sort());
  }
  if (shared.length > 0) item.parameters = shared.sort().map((key) => writer.parameter(key));
  return item;
}
