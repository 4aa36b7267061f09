import { type FieldError, FieldPath, invalidField, parseCidr, requiredField } from '@coracle/apimachinery';
import type { ServiceCIDR } from '../../generated/types/networking-v1.js';
import { immutable } from '../../validation/field-checks.js';
import { checkCidr } from '../../validation/ip-checks.js';

const cidrsPath = FieldPath.of('spec', 'cidrs');

export function validateServiceCidr({ spec = {} }: ServiceCIDR): FieldError[] {
  const cidrs = spec.cidrs ?? [];
  if (cidrs.length === 0) return [requiredField(cidrsPath, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidField(cidrsPath, cidrs, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, index) => checkCidr(cidrsPath.index(index), cidr));
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.address.family));
  if (cidrs.length === 2 && errors.length === 0 && families.size === 1) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/96';
    errors.push(invalidField(cidrsPath, cidrs, detail));
  }
  return errors;
}

/** The ranges stay, but a second family may be added. */
export function validateServiceCidrUpdate(serviceCidr: ServiceCIDR, previous: ServiceCIDR): FieldError[] {
  const cidrs = serviceCidr.spec?.cidrs ?? [];
  const before = previous.spec?.cidrs ?? [];
  const grows = before.length === 1 && cidrs.length === 2;
  if (!grows && cidrs.length !== before.length)
    return [...validateServiceCidr(serviceCidr), invalidField(cidrsPath, cidrs, immutable)];
  const changes = before.flatMap((old, index) =>
    cidrs[index] === old ? [] : [invalidField(cidrsPath.index(index), cidrs[index], immutable)],
  );
  return [...validateServiceCidr(serviceCidr), ...changes];
}
