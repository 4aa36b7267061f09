/**
 * What JSON can say. API objects are values of this kind, never class instances. An integer that a double cannot be
 * trusted with is a `bigint`.
 */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
