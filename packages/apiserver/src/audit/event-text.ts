import type { ApiRequest } from '@coracle/apimachinery';
import type { RequestInfo } from '../request-info.js';
import type { UserInfo } from '../user-info.js';

/**
 * Parts of the JSON of an audit event. Events of a request share most of their text, and so do those of a user: the
 * text is assembled from parts instead of being encoded for each event. Fields have the order of kube-apiserver, and
 * empty ones are left out as there.
 */
export function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Contains no characters that must be escaped. */
const plain = /^[\w./:?=&%, -]*$/;

const users = new WeakMap<UserInfo, string>();

export function userText(user: UserInfo): string {
  let text = users.get(user);
  if (text === undefined) {
    text = encodeUser(user);
    users.set(user, text);
  }
  return text;
}

function encodeUser({ name, uid, groups, extra }: UserInfo): string {
  if (name === '') return '{}';
  return JSON.stringify({ username: name, ...(uid && { uid }), groups, ...(extra && { extra }) });
}

const longestAgent = 1024;

/** Source address and user agent of the request. */
export function clientText({ headers, peer }: ApiRequest): string {
  const { 'user-agent': agent } = headers;
  const addresses = `,"sourceIPs":${sourceIpsText(headers, peer?.address)}`;
  return agent === undefined ? addresses : `${addresses},"userAgent":${quote(agent.slice(0, longestAgent))}`;
}

/** The client and its proxies, from their headers; the address of the connection is last. */
function sourceIpsText(headers: ApiRequest['headers'], address = '127.0.0.1'): string {
  if (headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined) return `[${quote(address)}]`;
  const forwarded = (headers['x-forwarded-for'] ?? '').split(',').map((one) => one.trim());
  const addresses = [...forwarded, headers['x-real-ip'] ?? ''].filter((one) => /^[0-9a-fA-F.:]+$/.test(one));
  return JSON.stringify([...new Set([...addresses, address])]);
}

/** The object of a request; absent for non-resource requests. */
export function objectText(info: RequestInfo): string {
  const { isResourceRequest, resource, namespace, name, group, version, subresource } = info;
  if (!isResourceRequest) return '';
  let text = `,"objectRef":{"resource":${quote(resource)}`;
  if (namespace !== '') text += `,"namespace":${quote(namespace)}`;
  if (name !== '') text += `,"name":${quote(name)}`;
  if (group !== '') text += `,"apiGroup":${quote(group)}`;
  text += `,"apiVersion":${quote(version)}`;
  if (subresource !== '') text += `,"subresource":${quote(subresource)}`;
  return `${text}}`;
}
