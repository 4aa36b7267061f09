import { LabelSelector, type LabelSelectorObject } from '@coracle/apimachinery';
import type { Container } from '../generated/types/core-v1.js';

/** The cell of an absent value. */
export const none = '<none>';
export const unset = '<unset>';
export const unknown = '<unknown>';

/** `a=1,b=2` in the order of the keys. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return (
    LabelSelector.fromLabels(labels)
      .requirements.map(({ key, values }) => `${key}=${values[0]}`)
      .join(',') || none
  );
}

export function formatSelector(selector: LabelSelectorObject | undefined): string {
  return LabelSelector.fromObject(selector).toString() || none;
}

interface Containers {
  readonly containers?: readonly Pick<Container, 'name' | 'image'>[];
}

export function containerNames(spec: Containers | undefined): string {
  return (spec?.containers ?? []).map(({ name }) => name).join(',');
}

export function containerImages(spec: Containers | undefined): string {
  return (spec?.containers ?? []).map(({ image }) => image ?? '').join(',');
}

/** The first three and how many more there are: `a,b,c + 2 more...`. */
export function firstThree(items: readonly string[]): string {
  const shown = items.slice(0, 3).join(',');
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}

export function formatBoolean(value: boolean | undefined): string {
  if (value === undefined) return unset;
  return value ? 'True' : 'False';
}

const shortAccessModes: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

export function formatAccessModes(modes: readonly string[] | undefined): string {
  return shortAccessModes.flatMap(([mode, short]) => (modes?.includes(mode) ? [short] : [])).join(',');
}

/** The addresses of a load balancer, each once, in the order of the text. */
export function loadBalancerAddresses(
  ingress: readonly { readonly ip?: string; readonly hostname?: string }[] | undefined,
): string[] {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}
