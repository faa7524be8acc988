import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { Collector } from '../output/collector.ts';
import type { Program } from '../verb/noun.ts';
import type { World } from '../world.ts';

/** A document that an assistant can read. */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  readonly text: () => Promise<string>;
}

/** The topics of help and the pages about the interface. */
export async function resourcesOf(program: Program, world: World): Promise<readonly Resource[]> {
  const topics = (await program.topics()).map(({ name, summary }) => ({
    uri: `msgctl://help/${name}`,
    name: `help-${name}`,
    title: summary,
    mimeType: 'text/plain',
    text: async () => {
      const stdout = new Collector();
      await program.run(['help', name, '--no-pager'], Object.create(world, { stdout: { value: stdout } }) as World);
      return stdout.take();
    },
  }));
  return [...topics, ...interfacePages()];
}

function interfacePages(): Resource[] {
  const folder = join(dirname(findPackageJSON(import.meta.url) ?? '.'), 'docs', 'interface');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => {
      const name = file.replace('.md', '');
      return {
        uri: `msgctl://interface/${name}`,
        name: `interface-${name}`,
        title: `The rules of the interface: ${name}`,
        mimeType: 'text/markdown',
        text: () => readFile(join(folder, file), 'utf8'),
      };
    });
}
