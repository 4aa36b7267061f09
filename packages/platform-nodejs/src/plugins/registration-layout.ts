import type { Layout } from '@coracle/cri';

/** The messages by which plugins register: field name → [number, type]. */
export const registrationLayout: Layout = {
  messages: {
    Empty: {},
    InfoRequest: {},
    PluginInfo: {
      type: [1, 'string'],
      name: [2, 'string'],
      endpoint: [3, 'string'],
      supported_versions: [4, 'repeated string'],
    },
    RegistrationStatus: { plugin_registered: [1, 'bool'], error: [2, 'string'] },
  },
  enums: {},
};
