import { formatCidr, formatIp, isMapped, maskedCidr, parseCidr, parseIp } from '@coracle/apimachinery';

/** Addresses that programs may parse differently. Invalid addresses are left to validation. */
export function ipWarnings(path: string, text: string): string[] {
  const address = parseIp(text);
  if (!address) return [];
  const shown = JSON.stringify(text);
  if (isMapped(address.bytes)) return [`${path}: IPv4-mapped IPv6 address ${shown} should not be used`];
  const canonical = formatIp(address);
  if (address.family === 4 || canonical === text) return [];
  return [`${path}: IPv6 address ${shown} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`];
}

export function cidrWarnings(path: string, text: string): string[] {
  const cidr = parseCidr(text);
  if (!cidr) return [];
  const shown = JSON.stringify(text);
  const network = formatCidr(maskedCidr(cidr));
  const warnings: string[] = [];
  if (isMapped(cidr.address.bytes)) warnings.push(`${path}: IPv4-mapped IPv6 address ${shown} should not be used`);
  if (network !== formatCidr(cidr)) {
    warnings.push(
      `${path}: CIDR value ${shown} is ambiguous in this context (should be ${JSON.stringify(network)} or ${JSON.stringify(`${formatIp(cidr.address)}/${cidr.address.bytes.length * 8}`)}?)`,
    );
  } else if (cidr.address.family === 6 && network !== text) {
    warnings.push(
      `${path}: IPv6 CIDR value ${shown} should be in RFC 5952 canonical format (${JSON.stringify(network)})`,
    );
  }
  return warnings;
}
