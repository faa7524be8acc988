import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Stage } from '../stage.ts';
import type { Random } from '../../../src/service/areas/sandbox/history/random.ts';

/** The embedded store. Its only failures are those of the servers, which share its file. */
export async function openSqlite(_random: Random, folder: string): Promise<Stage> {
  const data = join(folder, 'data');
  return {
    options: ['--data', data],
    disturbances: [],
    query: async (statement) => {
      const database = new DatabaseSync(join(data, 'msgctl.db'), { readOnly: true });
      try {
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    },
    remove: async () => {},
  };
}
