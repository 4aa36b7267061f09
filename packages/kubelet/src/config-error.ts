/** An object or field that a container or a volume needs is missing or invalid. The message is for users. */
export class ConfigError extends Error {}
