import { isRecord } from '@coracle/base';
import type { FeatureGates, Gate } from '../features/feature-gates.js';

/**
 * The fields that depend on a gate, by their paths. Paths pass through lists, and through maps where a step is `*`.
 */
export type GatedFields = Partial<Record<Gate, readonly string[]>>;

/** Drops the fields of disabled gates. An object that already uses one of a gate's fields keeps all of them. */
export type DropDisabledFields = (object: object | undefined, features: FeatureGates, previous?: object) => void;

export function dropFieldsOf(gated: GatedFields): DropDisabledFields {
  const byGate = Object.entries(gated).map(([gate, fields]) => ({
    gate: gate as Gate,
    paths: fields.map((field) => field.split('.')),
  }));
  return (object, features, previous) => {
    for (const { gate, paths } of byGate) {
      // Usually there is nothing to drop, which is found without the previous object.
      if (features.isOn(gate) || !paths.some((path) => holds(object, path))) continue;
      if (paths.some((path) => holds(previous, path))) continue;
      for (const path of paths) drop(object, path);
    }
  };
}

type Path = readonly string[];

/** Whether there is a value at the path, beginning with step `from`. */
function holds(value: unknown, path: Path, from = 0): boolean {
  if (from === path.length) return value !== undefined;
  if (Array.isArray(value)) return value.some((item) => holds(item, path, from));
  if (!isRecord(value)) return false;
  const step = path[from] as string;
  if (step === '*') return Object.values(value).some((item) => holds(item, path, from + 1));
  return holds(value[step], path, from + 1);
}

function drop(value: unknown, path: Path, from = 0): void {
  const step = path[from] as string;
  if (Array.isArray(value)) for (const item of value) drop(item, path, from);
  else if (!isRecord(value)) return;
  else if (from === path.length - 1) delete value[step];
  else if (step === '*') for (const item of Object.values(value)) drop(item, path, from + 1);
  else drop(value[step], path, from + 1);
}
