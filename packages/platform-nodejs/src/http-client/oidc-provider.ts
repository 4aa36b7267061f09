import { readFile } from 'node:fs/promises';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import type { OidcProvider, OidcSettings } from '@coracle/client';

/** Requests to the identity provider of a kubeconfig, with the CA that is configured for it. */
export function oidcProvider(settings: OidcSettings): OidcProvider {
  return {
    get: (url) => call(url, { method: 'GET', settings }),
    post: (url, form, authorization) =>
      call(url, {
        method: 'POST',
        settings,
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(authorization && { authorization }) },
      }),
  };
}

interface Call {
  readonly method: string;
  readonly settings: OidcSettings;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function call(url: string, { method, settings, headers = {}, body }: Call): Promise<unknown> {
  const ca = await authorityOf(settings);
  return new Promise((resolve, reject) => {
    const begin = url.startsWith('http:') ? plainRequest : request;
    const outgoing = begin(url, { method, headers, ...(ca && { ca }) }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode !== 200) reject(new Error(`oidc: ${method} ${url} answered ${incoming.statusCode}`));
        else resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function authorityOf(settings: OidcSettings): Promise<string | undefined> {
  const data = settings['idp-certificate-authority-data'];
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  const file = settings['idp-certificate-authority'];
  return file ? readFile(file, 'utf8') : undefined;
}
