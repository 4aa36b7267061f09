import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import { isPortNumber, portRange } from './field-checks.js';

interface WebhookClient {
  readonly url?: string;
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    readonly path?: string;
    readonly port?: number;
  };
}

/** The location of a webhook: a URL or a service of the cluster. */
export function checkWebhookClient(path: FieldPath, { url, service }: WebhookClient): FieldError[] {
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return checkUrl(path.child('url'), url);
  return service ? checkService(path.child('service'), service) : [];
}

const form = '; desired format: https://host[/path]';

function checkUrl(path: FieldPath, text: string): FieldError[] {
  const match =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
  if (!match || /\s/.test(match[3] ?? '')) {
    return [requiredField(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL${form}`)];
  }
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = match;
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https') {
    errors.push(invalidField(path, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (host === '') errors.push(invalidField(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(invalidField(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidField(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidField(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function checkService(path: FieldPath, service: NonNullable<WebhookClient['service']>): FieldError[] {
  const { name, namespace, path: urlPath, port } = service;
  const errors: FieldError[] = [];
  if (!name) errors.push(requiredField(path.child('name')));
  if (!namespace) errors.push(requiredField(path.child('namespace')));
  if (port !== undefined && !isPortNumber(port)) {
    errors.push(invalidField(path.child('port'), port, `port is not valid: ${portRange}`));
  }
  return urlPath === undefined ? errors : [...errors, ...checkUrlPath(path.child('path'), urlPath)];
}

function checkUrlPath(path: FieldPath, urlPath: string): FieldError[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalidField(path, urlPath, 'segment[0] may not be empty')];
  const errors = urlPath.startsWith('/') ? [] : [invalidField(path, urlPath, "must start with a '/'")];
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    const problems = segment === '' ? [' may not be empty'] : isDns1123Subdomain(segment).map((one) => `: ${one}`);
    errors.push(...problems.map((problem) => invalidField(path, urlPath, `segment[${index}]${problem}`)));
  }
  return errors;
}
