import type { CustomResourceDefinition } from '../../generated/types/apiextensions-v1.js';

export function setCustomResourceDefinitionDefaults({ spec }: CustomResourceDefinition): void {
  const { names } = spec;
  if (names) {
    names.singular ||= (names.kind ?? '').toLowerCase();
    if (names.kind) names.listKind ||= `${names.kind}List`;
    if (names.singular === '') delete names.singular;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
}
