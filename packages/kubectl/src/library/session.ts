import { type Clock, type Random, seededRandom } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { Context } from '../command/context.js';
import { parseFlagLines } from '../command/flag-spec.js';
import { FlagValues } from '../command/flag-values.js';
import { globalFlags } from '../command-table/global-flags.js';
import { Factory } from '../factory.js';
import type { Host } from '../host.js';
import { RequestHelper } from '../resources/request-helper.js';

export interface SessionOptions {
  readonly client: Client;
  /** The clock for waits and ages. */
  readonly clock: Clock;
  /** Of objects that name none. */
  readonly namespace?: string;
  readonly random?: Random;
  /** Aborts waits and streams. */
  readonly signal?: AbortSignal;
  /** Called with each warning of the server and of the library, once. */
  readonly onWarning?: (text: string) => void;
}

/** The cluster of the verbs. It caches the server's resources: use one for many calls. */
export class Session {
  readonly namespace: string;
  /** The context of commands without a host: no files, no programs, and output is dropped. */
  readonly context: Pick<Context, 'host' | 'factory'>;
  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.namespace = options.namespace ?? 'default';
    const host = hostOf(options);
    const flags = new FlagValues(parseFlagLines(globalFlags));
    flags.set('namespace', this.namespace);
    this.context = { host, factory: new Factory(host, flags, { client: options.client }) };
  }

  /** The same cluster in another namespace, with the same discovery cache. */
  in(namespace = this.namespace): Session {
    if (namespace === this.namespace) return this;
    const other = new Session({ ...this.#options, namespace });
    other.context.factory.shareDiscovery(this.context.factory);
    return other;
  }

  async helper(): Promise<RequestHelper> {
    return new RequestHelper(await this.context.factory.client());
  }
}

function hostOf({ clock, random = seededRandom(1), signal, onWarning }: SessionOptions): Host {
  const nowhere = { isTerminal: false, write: () => undefined };
  return {
    stdin: { isTerminal: false, chunks: async function* () {} },
    stdout: nowhere,
    stderr: {
      isTerminal: false,
      write: (text) => {
        if (typeof text === 'string') onWarning?.(text.replace(/^Warning: /, '').trimEnd());
      },
    },
    env: {},
    clock,
    random,
    interrupted: signal ?? new AbortController().signal,
    platform: 'library',
    processId: 0,
    connect: () => Promise.reject(new Error('a session has a client of its own')),
  };
}
