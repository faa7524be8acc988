import type { FileRecord } from './configuration.ts';
import type { Path, YamlFile } from './document.ts';

/** A record as one file has it, before the folders are merged. */
export interface ReadRecord extends FileRecord {
  readonly absent: boolean;
  /** The folder that it stands in, farthest base first. */
  readonly layer: number;
  readonly file: YamlFile;
  /** Where it stands in the file. */
  readonly at: Path;
}
