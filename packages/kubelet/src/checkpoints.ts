/** Files of the kubelet that outlive it, by name. */
export interface Checkpoints {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}
