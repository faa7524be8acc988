import type { Node } from 'yaml';
import type { FileRecord } from '../configuration.ts';
import type { Place } from '../problems.ts';
import type { YamlFile } from './document.ts';

/** A record as one file has it, before the folders are merged. */
export interface ReadRecord extends Omit<FileRecord, 'placeOf'> {
  readonly absent: boolean;
  readonly places: ReadonlyMap<string, Place>;
  /** The folder that it stands in, farthest base first. */
  readonly layer: number;
  readonly file: YamlFile;
  readonly node: Node;
}
