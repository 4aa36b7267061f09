import {
  isDns1123Label,
  isDns1123Subdomain,
  parseCidr,
  parseDuration,
  parseIp,
  parseTime,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';

/** Formats that are checked, as upstream checks them. Others are only a hint to people. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  datetime: isDateTime,
  date: isDate,
  duration: isDuration,
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uri: isUri,
  email: (text) => /^(?:[^<>@]*<)?[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+>?$/.test(text),
  ipv4: (text) => parseIp(text) !== undefined && !text.includes(':'),
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
export function formatName(format: string): string {
  return format.startsWith('k8s-') ? format : format.replaceAll('-', '');
}

/** Those that say how a number is kept, and passwords, are known but not checked as text. */
const unchecked: ReadonlySet<string> = new Set(['int32', 'int64', 'float', 'double', 'password', 'uint32', 'uint64']);

export function isKnownFormat(format: string): boolean {
  return unchecked.has(format) || Object.hasOwn(formats, formatName(format));
}

export function isOfFormat(format: string, text: string): boolean {
  return ownValue(formats, formatName(format))?.(text) ?? true;
}

function isDateTime(text: string): boolean {
  return parseTime(text.toUpperCase()) !== undefined;
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;
}

const spans =
  /^\s*(?:\d+(?:\.\d+)?\s*(?:ns|nanos?|nanoseconds?|us|µs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*)+$/i;

/** As Go writes them, and with units as words: `1 day`, `2 weeks`. */
function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined || spans.test(text);
}

/** An absolute URL or path. */
function isUri(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return false;
  return text.startsWith('/') || /^[a-z][a-z0-9+.-]*:.+/i.test(text);
}

function isMac(text: string): boolean {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i;
  const groups = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})*$/i;
  const bytes = text.replace(/[:.-]/g, '').length / 2;
  return (pairs.test(text) || groups.test(text) || /^[0-9a-f]+$/i.test(text)) && [6, 8, 20].includes(bytes);
}

/** One label, or several with letters for the last. */
function isHostname(text: string): boolean {
  if (text.length > 255) return false;
  const labels = text.split('.');
  const isLabel = (label: string) =>
    /^[a-z0-9\p{S}\p{L}](?:[-a-z0-9\p{S}\p{L}]{0,61}[a-z0-9\p{S}\p{L}])?$/iu.test(label);
  if (!labels.every(isLabel)) return false;
  return labels.length === 1 || /^[a-z\p{L}]{2,63}$/iu.test(labels.at(-1) ?? '');
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/i.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (i + 1) * (/x/i.test(digit) ? 10 : Number(digit)), 0);
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
  return parts.length === 3 && parts.every((part) => Number(part) <= 255);
}
