import type { KubeObject } from '@coracle/apimachinery';
import { numberOf } from './node-use.js';

export interface QuotaLine {
  readonly resource: string;
  readonly used: string;
  readonly hard: string;
  /** 0 to 1, or more where more is used than allowed. */
  readonly share: number;
}

/** Usage of a quota. */
export function quotaLines(quota: KubeObject): QuotaLine[] {
  const { status } = quota as { status?: { hard?: Record<string, string>; used?: Record<string, string> } };
  return Object.entries(status?.hard ?? {}).map(([resource, hard]) => {
    const used = status?.used?.[resource] ?? '0';
    const [a, b] = [numberOf(used) ?? 0, numberOf(hard) ?? 0];
    return { resource, used, hard, share: b === 0 ? (a > 0 ? 1 : 0) : a / b };
  });
}
