/** A kind of computer that has an archive with its own Node. */
export interface Target {
  readonly name: 'linux-x64' | 'linux-arm64';
  /** The name of its architecture in Debian. */
  readonly debian: string;
}

export const targets: readonly [Target, Target] = [
  { name: 'linux-x64', debian: 'amd64' },
  { name: 'linux-arm64', debian: 'arm64' },
];
