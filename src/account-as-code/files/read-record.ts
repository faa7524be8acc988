import type { FileRecord } from '../planner/configuration.ts';
import type { Fields } from '../values.ts';
import type { Path, YamlFile } from './document.ts';

/** A record as one file defines it, before folders are merged. */
export interface ReadRecord extends FileRecord {
  /** The fields as they are written. In a map, a null takes away what the bases have. */
  readonly written: Fields;
  readonly absent: boolean;
  /** The index of its folder, counted from the farthest base. */
  readonly layer: number;
  readonly file: YamlFile;
  /** Its path within the file. */
  readonly at: Path;
}
