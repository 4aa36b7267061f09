const scalars = {
  string: 'string',
  bool: 'boolean',
  bytes: 'Uint8Array',
  int32: 'number',
  uint32: 'number',
  int64: 'number',
  uint64: 'number',
  double: 'number',
  float: 'number',
};

/** The messages and services of CRI v1 as interfaces, and their protobuf layout for the gRPC client. */
export function* criFiles({ cri }) {
  const enums = Object.entries(cri.enums).map(([name, values]) => enumText(name, values));
  const messages = Object.entries(cri.messages).map(([name, fields]) => messageText(name, fields, cri));
  yield ['packages/cri/src/generated/messages.ts', [...enums, ...messages].join('\n')];
  yield ['packages/cri/src/generated/services.ts', servicesText(cri.services)];
  const { about: _, ...layout } = cri;
  yield [
    'packages/cri/src/generated/layout.ts',
    `/** Services, messages (field: [number, type]) and enums of package runtime.v1. */\nexport const layout: {\n  readonly services: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;\n  readonly messages: Readonly<Record<string, Readonly<Record<string, readonly [number, string]>>>>;\n  readonly enums: Readonly<Record<string, Readonly<Record<string, number>>>>;\n} = ${JSON.stringify(layout)};\n`,
  ];
}

/** One interface for each service; a streaming call yields its responses as they arrive. */
function servicesText(services) {
  const used = Object.values(services).flatMap((calls) => Object.values(calls).flat());
  const names = [...new Set(used.map((name) => name.replace(/^stream /, '')))].sort();
  const interfaces = Object.entries(services).map(([name, calls]) => {
    const lines = Object.entries(calls).map(([call, types]) => `  ${callText(call, types)}\n`);
    return `export interface ${name} {\n${lines.join('')}}\n`;
  });
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from './messages.js';\n\n${interfaces.join('\n')}`;
}

function callText(call, [request, response]) {
  const streamed = response.startsWith('stream ');
  const answer = streamed ? `AsyncIterable<${response.slice(7)}>` : `Promise<${response}>`;
  return `${call[0].toLowerCase()}${call.slice(1)}(request: ${request}${streamed ? ', signal?: AbortSignal' : ''}): ${answer};`;
}

function enumText(name, values) {
  const lines = Object.entries(values).map(([key, value]) => `  ${key}: ${value},\n`);
  name = name.replace(/^.*\./, '');
  return `export const ${name} = {\n${lines.join('')}} as const;\nexport type ${name} = (typeof ${name})[keyof typeof ${name}];\n`;
}

function messageText(name, fields, cri) {
  const entries = Object.entries(fields);
  if (entries.length === 0) return `export type ${name} = Record<string, never>;\n`;
  // CRI messages travel as protobuf: every field may be absent.
  const lines = entries.map(([field, [, type]]) => `  ${camel(field)}?: ${typeText(type, cri)};\n`);
  return `export interface ${name} {\n${lines.join('')}}\n`;
}

function typeText(type, cri) {
  if (type.startsWith('repeated ')) return `${typeText(type.slice(9), cri)}[]`;
  const map = /^map<\s*(\w+)\s*,\s*([\w.]+)\s*>$/.exec(type);
  if (map) return `Record<string, ${typeText(map[2], cri)}>`;
  return scalars[type] ?? type.replace(/^.*\./, '');
}

function camel(field) {
  return field.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
