/** What a container or a volume is to be made from is missing or wrong. The message is for users. */
export class ConfigError extends Error {}
