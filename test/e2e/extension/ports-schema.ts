/** Schema of a list of container ports, keyed as that of a pod is. */
export const portsSchema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
  items: {
    type: 'object',
    required: ['containerPort', 'protocol'],
    properties: {
      containerPort: { type: 'integer', format: 'int32' },
      name: { type: 'string' },
      protocol: { type: 'string' },
    },
  },
};
