import { byteLength, type FieldError, type FieldPath, invalidField, isDns1123Subdomain } from '@coracle/apimachinery';
import type { PodSpec, WindowsSecurityContextOptions } from '../../generated/types/core-v1.js';
import { checkValue } from '../../validation/field-checks.js';
import { visitContainers } from './visit-containers.js';

export function validateWindowsOptions(
  path: FieldPath,
  options: WindowsSecurityContextOptions | undefined,
): FieldError[] {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options ?? {};
  const errors: FieldError[] = [];
  if (gmsaCredentialSpecName !== undefined) {
    errors.push(...checkValue(path.child('gmsaCredentialSpecName'), gmsaCredentialSpecName, isDns1123Subdomain));
  }
  if (gmsaCredentialSpec !== undefined) {
    errors.push(...checkValue(path.child('gmsaCredentialSpec'), gmsaCredentialSpec, credentialSpecProblems));
  }
  if (runAsUserName !== undefined)
    errors.push(...checkValue(path.child('runAsUserName'), runAsUserName, userNameProblems));
  return errors;
}

const credentialSpecKiB = 64;

function credentialSpecProblems(spec: string): string[] {
  if (spec === '') return ['gmsaCredentialSpec cannot be an empty string'];
  if (byteLength(spec) <= credentialSpecKiB * 1024) return [];
  return [`gmsaCredentialSpec size must be under ${credentialSpecKiB} KiB`];
}

/** `USER` or `DOMAIN\USER`, with the rules that Windows has for each. */
function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [domain, user] = parts.length === 2 ? parts : [undefined, parts[0]];
  return [...domainProblems(domain), ...userProblems(user ?? '')];
}

const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);

function domainProblems(domain: string | undefined): string[] {
  if (domain === undefined) return [];
  const problems = domain.length >= 256 ? ["runAsUserName's Domain length must be under 256 characters"] : [];
  if (netBiosName.test(domain) || dnsName.test(domain)) return problems;
  return [...problems, "runAsUserName's Domain doesn't match the NetBios nor the DNS format"];
}

function userProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > 104) problems.push("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return problems;
}

/** A pod of host processes has only such containers, and uses the host network. */
export function validateHostProcesses(path: FieldPath, spec: PodSpec): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = [...visitContainers(path, spec)];
  const errors: FieldError[] = [];
  let hostProcesses = 0;
  for (const { container, path: containerPath } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (own !== undefined && ofPod !== undefined && own !== ofPod) {
      const problem = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalidField(containerPath.child('securityContext', 'windowsOptions', 'hostProcess'), own, problem));
    }
    if (own ?? ofPod) hostProcesses++;
  }
  if (hostProcesses === 0) return errors;
  if (hostProcesses !== containers.length) errors.push(invalidField(path, '', mixedHostProcesses));
  if (!spec.hostNetwork) errors.push(invalidField(path.child('hostNetwork'), false, hostNetworkNeeded));
  return errors;
}

const mixedHostProcesses =
  'If pod contains any hostProcess containers then all containers must be HostProcess containers';
const hostNetworkNeeded = 'hostNetwork must be true if pod contains any hostProcess containers';
