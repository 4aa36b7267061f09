import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { KeyPair } from '../pki/key-pair.js';
import { type NamedCertificate, NamedCertificates } from './named-certificates.js';

/** Serving certificate and client CAs of a server. */
export interface ServedTls extends KeyPair {
  /** CA bundle that verifies client certificates. */
  readonly clientCa: string;
  /** For clients that request other names. */
  readonly named?: readonly NamedCertificate[];
}

/** Which certificate each client of a server gets. */
export class ShownCertificates {
  readonly #agreed: SecureContextOptions;
  #tls: ServedTls;
  #named: NamedCertificates;
  #usual: SecureContextOptions;
  /** For clients that request an unknown name. */
  #forOthers: SecureContext;
  #inUse: SecureContextOptions;

  constructor(tls: ServedTls, agreed: SecureContextOptions) {
    this.#agreed = agreed;
    this.#tls = tls;
    this.#named = this.#namedIn(tls);
    this.#usual = this.#optionsOf(tls);
    this.#forOthers = createSecureContext(this.#usual);
    this.#inUse = this.#usual;
  }

  /** What the server is created with. */
  get options(): TlsOptions {
    const choose: NonNullable<TlsOptions['SNICallback']> = (name, done) =>
      done(null, this.#named.find(name) ?? this.#forOthers);
    // Only where there is something to choose from: it costs each connection a turn.
    return { ...this.#usual, ...(this.#tls.named?.length && { SNICallback: choose }) };
  }

  /** A client that requests no name, because it connects to an address, gets the certificate of that. */
  chooseByAddress(server: Http2SecureServer): void {
    if (!this.#tls.named?.length) return;
    // TLS begins after this.
    server.prependListener('connection', ({ localAddress = '' }: Socket) =>
      this.#use(server, this.#named.findAddress(localAddress) ?? this.#usual),
    );
  }

  /** Throws, and changes nothing, if they are not certificates. */
  change(server: Http2SecureServer, changed: Partial<ServedTls>): void {
    const tls = { ...this.#tls, ...changed };
    const named = this.#namedIn(tls);
    const usual = this.#optionsOf(tls);
    this.#use(server, usual);
    this.#forOthers = createSecureContext(usual);
    this.#tls = tls;
    this.#named = named;
    this.#usual = usual;
  }

  #use(server: Http2SecureServer, options: SecureContextOptions): void {
    if (options === this.#inUse) return;
    server.setSecureContext(options);
    this.#inUse = options;
  }

  #optionsOf({ certificate, key, clientCa }: ServedTls): SecureContextOptions {
    return { ...this.#agreed, cert: certificate, key, ca: clientCa };
  }

  #namedIn({ named = [], clientCa }: ServedTls): NamedCertificates {
    return new NamedCertificates(named, { ...this.#agreed, ca: clientCa });
  }
}
