import { parseTime } from './time.js';

const timeOfDay = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

/** The format `date-time`: RFC 3339 in capitals or small letters, in whatever zone is written. */
export function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const [, hours = '', minutes = '', seconds = ''] = timeOfDay.exec(time) ?? [];
  return isDate(date) && hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** The format `date`: a day that there is. */
export function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined;
}

/** The format `byte`: base64 with its padding, and not empty. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text);
}

/** The format `uuid`: the dashes may be left out. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}
