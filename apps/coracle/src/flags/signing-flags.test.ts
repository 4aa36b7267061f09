import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addSigningFlags, type SigningFlags, signingFiles } from './signing-flags.js';

function files(text: string) {
  const args = text === '' ? [] : text.split(' ').map((one) => `--cluster-signing-${one}`);
  const command = addSigningFlags(new Command('controller-manager')).exitOverride();
  return signingFiles(command.parse(args, { from: 'user' }).opts<SigningFlags>());
}

const pairOf = (flag: string) => `${flag}-cert-file=${flag}.crt ${flag}-key-file=${flag}.key`;
const pair = (flag: string) => ({ certFile: `${flag}.crt`, keyFile: `${flag}.key` });

describe('the flags of signing key pairs', () => {
  test.each([
    ['', {}],
    ['cert-file=ca.crt', {}],
    ['cert-file=ca.crt key-file=ca.key', { signing: { certFile: 'ca.crt', keyFile: 'ca.key' } }],
    [
      ['kubelet-serving', 'kubelet-client', 'kube-apiserver-client', 'legacy-unknown'].map(pairOf).join(' '),
      {
        signerFiles: {
          'kubernetes.io/kubelet-serving': pair('kubelet-serving'),
          'kubernetes.io/kube-apiserver-client-kubelet': pair('kubelet-client'),
          'kubernetes.io/kube-apiserver-client': pair('kube-apiserver-client'),
          'kubernetes.io/legacy-unknown': pair('legacy-unknown'),
        },
      },
    ],
    [pairOf('legacy-unknown'), { signerFiles: { 'kubernetes.io/legacy-unknown': pair('legacy-unknown') } }],
  ])('"%s" names the files', (text, expected) => {
    expect(files(text)).toEqual(expected);
  });

  test.each([
    ['kubelet-serving-cert-file=a', '"cluster-signing-kubelet-serving": cannot specify cert without key'],
    ['legacy-unknown-key-file=a', '"cluster-signing-legacy-unknown": cannot specify key without cert'],
    [
      `key-file=ca.key ${pairOf('kubelet-client')}`,
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    ],
  ])('"%s" is refused', (text, why) => {
    expect(() => files(text)).toThrow(why);
  });
});
