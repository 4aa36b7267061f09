/** Named files of the kubelet that survive a restart. */
export interface Checkpoints {
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<void>;
}
