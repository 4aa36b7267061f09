/** The negotiated form of a response. */
export interface OutputForm {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  /** The form that an object is converted to before it is encoded. */
  readonly as: 'object' | 'table' | 'partial';
  /** The version of `meta.k8s.io` in which tables and partial objects are sent. */
  readonly asVersion: 'v1' | 'v1beta1';
  readonly pretty: boolean;
  /** Key of a form in caches. */
  readonly name: string;
}

export const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
} as const;

export function makeForm(form: Omit<OutputForm, 'name'>): OutputForm {
  const name = [form.encoding, form.as, form.asVersion, form.pretty ? 'pretty' : ''].join(' ');
  return Object.freeze({ ...form, name });
}

export const plainJson: OutputForm = makeForm({ encoding: 'json', as: 'object', asVersion: 'v1', pretty: false });
