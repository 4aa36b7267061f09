/** The default roles and bindings, as the API server makes them at its first start. */
export function* rbacFiles({ rbac }) {
  const { about: _, ...kinds } = rbac;
  const text = Object.entries(kinds)
    .map(([kind, objects]) => {
      const lines = Object.entries(objects).map(
        ([name, object]) => `    ${JSON.stringify(name)}: ${JSON.stringify(object)},\n`,
      );
      return `  ${kind}: {\n${lines.join('')}  },\n`;
    })
    .join('');
  yield [
    'packages/apiserver/src/generated/rbac-defaults.ts',
    `/** Kind → name (\`namespace/name\` where the kind has namespaces) → what the object says. */\nexport const rbacDefaults: Readonly<Record<string, Readonly<Record<string, object>>>> = {\n${text}};\n`,
  ];
}
