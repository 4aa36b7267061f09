import { describe, expect, it } from 'vitest';
import { toInternalForm } from './internal-form.js';

const types = {
  Probe: 'HTTPGet:*HTTPGetAction SuccessThreshold:n TerminationGracePeriodSeconds',
  HTTPGetAction: 'Path:s Port HTTPHeaders:[HTTPHeader]',
  HTTPHeader: 'Name:s Value:s',
  Volume: 'Name:s CephFS=cephfs SELinuxOptions',
  Owner: 'Selector:*LabelSelector TTY:b',
  LabelSelector: '~matchLabels matchExpressions:[Requirement]',
  Requirement: '~key operator values',
};

const cases: { name: string; type: string; value: unknown; form: unknown }[] = [
  {
    name: 'absent fields become their zero value or null',
    type: 'Probe',
    value: {},
    form: { HTTPGet: null, SuccessThreshold: 0, TerminationGracePeriodSeconds: null },
  },
  {
    name: 'nested values take their own type, lists item by item',
    type: 'Probe',
    value: { httpGet: { port: 80, httpHeaders: [{ name: 'a' }] }, successThreshold: 1 },
    form: {
      HTTPGet: { Path: '', Port: 80, HTTPHeaders: [{ Name: 'a', Value: '' }] },
      SuccessThreshold: 1,
      TerminationGracePeriodSeconds: null,
    },
  },
  {
    name: 'a field may have a wire name of its own',
    type: 'Volume',
    value: { name: 'v', cephfs: 1, seLinuxOptions: 2 },
    form: { Name: 'v', CephFS: 1, SELinuxOptions: 2 },
  },
  {
    name: 'types of the wire keep their names, order and gaps',
    type: 'Owner',
    value: { selector: { matchExpressions: [{ operator: 'Exists', key: 'a' }], matchLabels: { b: '1', a: '2' } } },
    form: {
      Selector: { matchLabels: { a: '2', b: '1' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] },
      TTY: false,
    },
  },
  { name: 'an empty list is null', type: '[HTTPHeader]', value: [], form: null },
];

describe('toInternalForm', () => {
  it.each(cases)('$name', ({ type, value, form }) => {
    expect(JSON.stringify(toInternalForm(value, type, types))).toBe(JSON.stringify(form));
  });
});
