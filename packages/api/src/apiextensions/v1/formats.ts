import { parseCidr, parseDuration, parseIp, parseTime } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';

/** Formats that are checked. Others are only a hint to people. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => parseTime(text) !== undefined,
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => parseDuration(text) !== undefined,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uri: (text) => URL.canParse(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  ipv4: (text) => parseIp(text) !== undefined && !text.includes(':'),
  ipv6: (text) => parseIp(text) !== undefined && text.includes(':'),
  ip: (text) => parseIp(text) !== undefined,
  cidr: (text) => parseCidr(text) !== undefined,
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0,
  hostname: (text) => /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.?)+$/i.test(text) && text.length < 256,
};

export function isOfFormat(format: string, text: string): boolean {
  return ownValue(formats, format)?.(text) ?? true;
}
