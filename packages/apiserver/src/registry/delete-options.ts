import { type FieldError, invalid, invalidField, notSupportedField } from '@coracle/apimachinery';
import type { Deletion } from './delete-object.js';

export interface DeleteOptions extends Deletion {
  readonly dryRun?: readonly string[];
}

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** Throws `Invalid` for invalid options, whether from the body or the query. */
export function checkDeleteOptions({ propagationPolicy, orphanDependents, dryRun }: DeleteOptions): void {
  const errors: FieldError[] = [];
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    errors.push(
      invalidField(
        'propagationPolicy',
        propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(notSupportedField('propagationPolicy', propagationPolicy, [...policies, 'nil']));
  }
  errors.push(...validateDryRun(dryRun ?? []));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

/** The only dry run value is `All`. */
export function validateDryRun(values: readonly string[]): FieldError[] {
  return values.some((value) => value !== 'All') ? [notSupportedField('dryRun', values, ['All'])] : [];
}
