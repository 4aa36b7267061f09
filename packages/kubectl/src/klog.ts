import type { Host } from './host.js';

/** The head of a log line: `W1115 17:44:23.234363    8904 helpers.go:719] `. */
export function klogHead(host: Host, severity: 'I' | 'W' | 'E', place: string): string {
  const iso = new Date(host.clock.now()).toISOString();
  const [, month, day, time] = /^\d+-(\d\d)-(\d\d)T([\d:.]+)Z$/.exec(iso) ?? [];
  return `${severity}${month}${day} ${time}000 ${String(host.processId).padStart(7)} ${place}] `;
}

/** Logs a warning of kubectl's own. */
export function logWarning(host: Host, place: string, text: string): void {
  host.stderr.write(`${klogHead(host, 'W', place)}${text}\n`);
}
