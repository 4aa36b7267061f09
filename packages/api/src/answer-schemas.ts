import type { GroupVersionKind, ObjectSchema, Schema } from '@coracle/apimachinery';
import { parseSchemaText } from './schema-text.js';
import { schemaOf } from './schemas.js';

/** Kinds that answer requests but are no resources and are not in OpenAPI, in the notation of the generated lines. */
const lines: Readonly<Record<string, string>> = {
  PartialObjectMetadata: 'apiVersion:string kind:string metadata:meta-v1/ObjectMeta+#1',
  PartialObjectMetadataList:
    'apiVersion:string items:[]PartialObjectMetadata*+#2 kind:string metadata:meta-v1/ListMeta+#1',
  APIGroupDiscoveryList: 'apiVersion:string items:[]APIGroupDiscovery*+#2 kind:string metadata:meta-v1/ListMeta+#1',
  APIGroupDiscovery:
    'apiVersion:string kind:string metadata:meta-v1/ObjectMeta+#1 versions:[]APIVersionDiscovery-!map(version)#2',
  APIVersionDiscovery: 'freshness:string-#3 resources:[]APIResourceDiscovery-!map(resource)#2 version:string*+#1',
  APIResourceDiscovery:
    'categories:[]string-!set#7 resource:string*+#1 responseKind:GroupVersionKind#2 scope:string*+#3 shortNames:[]string-!set#6 singularResource:string*+#4 subresources:[]APISubresourceDiscovery-!map(subresource)#8 verbs:[]string*+!set#5',
  APISubresourceDiscovery:
    'acceptedTypes:[]GroupVersionKind-!map(group,version,kind)#3 responseKind:GroupVersionKind#2 subresource:string*+#1 verbs:[]string*+!set#4',
  GroupVersionKind: 'group:string*+#1 kind:string*+#3 version:string*+#2',
};

const kinds: Readonly<Record<string, string>> = {
  'meta.k8s.io/v1/PartialObjectMetadata': 'PartialObjectMetadata',
  'meta.k8s.io/v1/PartialObjectMetadataList': 'PartialObjectMetadataList',
  'apidiscovery.k8s.io/v2/APIGroupDiscoveryList': 'APIGroupDiscoveryList',
  'apidiscovery.k8s.io/v2beta1/APIGroupDiscoveryList': 'APIGroupDiscoveryList',
};

/** Lines read so far. They never change, so this is a cache and not state. */
const parsed = new Map<string, Schema>();

/** The schema of a kind that only answers have: partial metadata, aggregated discovery. */
export function schemaOfAnswer({ group, version, kind }: GroupVersionKind): ObjectSchema | undefined {
  const name = kinds[`${group}/${version}/${kind}`];
  return name === undefined ? undefined : (schemaOfLine(name) as ObjectSchema);
}

function schemaOfLine(name: string): Schema {
  let schema = parsed.get(name);
  if (!schema) {
    schema = parseSchemaText(lines[name] ?? '', 'answers', {
      name: '',
      resolve: (module, other) => (module === 'answers' ? schemaOfLine(other) : schemaOf(`${module}/${other}`)),
    });
    parsed.set(name, schema);
  }
  return schema;
}
