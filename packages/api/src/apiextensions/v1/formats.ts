import {
  isBase64,
  isDate,
  isDateTime,
  isDns1123Label,
  isDns1123Subdomain,
  isUuid,
  parseCidr,
  parseIp,
  requestUrlProblem,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { isEmail } from './email-address.js';
import { parseWordedDuration } from './worded-duration.js';

/** Formats that are validated, as in upstream. Others are only documentation. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: (text) => parseWordedDuration(text) !== undefined,
  byte: isBase64,
  uuid: isUuid,
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uri: (text) => requestUrlProblem(text) === undefined,
  email: isEmail,
  // An IPv4 address in the form of IPv6 is both.
  ipv4: (text) => parseIp(text) !== undefined && text.includes('.'),
  ipv6: (text) => parseIp(text) !== undefined && text.includes(':'),
  cidr: (text) => parseCidr(text.replace(/\/0+(?=\d)/, '/')) !== undefined,
  mac: isMac,
  hostname: isHostname,
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  rgbcolor: isRgbColor,
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  'k8s-short-name': (text) => isDns1123Label(text).length === 0,
  'k8s-long-name': (text) => isDns1123Subdomain(text).length === 0,
};

/** Dashes in the names of formats do not count, but for those that Kubernetes added. */
function formatName(format: string): string {
  return format.startsWith('k8s-') ? format : format.replaceAll('-', '');
}

/** Number formats, and `password`, are known but not validated as text. */
const unchecked: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double', 'password', 'uint32', 'uint64']);

export function isKnownFormat(format: string): boolean {
  return unchecked.has(format) || Object.hasOwn(formats, formatName(format));
}

export function isOfFormat(format: string, text: string): boolean {
  return ownValue(formats, formatName(format))?.(text) ?? true;
}

function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i;
  const groups = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i;
  const bytes = text.replace(/[:.-]/g, '').length / 2;
  return (pairs.test(text) || groups.test(text) || /^[0-9a-f]+$/i.test(text)) && [6, 8, 20].includes(bytes);
}

const label = '[a-z0-9\\p{S}\\p{L}]';
const singleLabel = new RegExp(`^${label}(?:-?${label}{0,62})?$`, 'iu');
const domain = new RegExp(`^(?:${label}(?:[-a-z0-9\\p{S}\\p{L}]{0,61}${label})?\\.)+[a-z\\p{L}]{2,63}$`, 'iu');

/** Several labels with letters for the last, or one, which upstream allows a single dash. */
function isHostname(text: string): boolean {
  const length = (part: string) => new TextEncoder().encode(part).length;
  if (!singleLabel.test(text) && !domain.test(text)) return false;
  return length(text) <= 255 && text.split('.').every((part) => length(part) <= 63);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (i + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

const cards =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!cards.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)?.slice(1) ?? [];
  return parts.length === 3 && parts.every((part) => String(Number(part)) === part && Number(part) <= 255);
}
