import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { addressOfUrl, readBounded } from '@coracle/apiserver';
import { type PrometheusSettings, parseAdapterRules } from '@coracle/control-plane';
import { createDialer, systemClock } from '@coracle/platform-nodejs';

const bounds = { timeoutMs: 30_000, maxBytes: 64 * 1024 * 1024, clock: systemClock };

/** Settings of an adapter's configuration file. */
export async function readPrometheusRules(file: string): Promise<PrometheusSettings['rules']> {
  try {
    return parseAdapterRules(parseYamlDocuments(await readFile(file))[0]?.value);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/** Sends queries to Prometheus at a URL, whose user and password are sent with every request. Disposing it closes the connections. */
export function openPrometheus(url: string): { readonly source: PrometheusSettings['source'] } & Disposable {
  const target = new URL(url);
  const { pathname, username, password } = target;
  const address = addressOfUrl(target);
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = username ? { authorization: `Basic ${Buffer.from(secret).toString('base64')}` } : {};
  const dialer = createDialer();
  return {
    source: async (path, parameters) => {
      const request = { method: 'GET', path: pathname.replace(/\/$/, '') + path, query: String(parameters), headers };
      const { status, bytes } = await readBounded((signal) => dialer.request(address, { ...request, signal }), bounds);
      const text = new TextDecoder().decode(bytes);
      try {
        return JSON.parse(text);
      } catch {
        throw new Error(`HTTP ${status}: ${text.slice(0, 200)}`);
      }
    },
    [Symbol.dispose]: () => dialer[Symbol.dispose](),
  };
}
