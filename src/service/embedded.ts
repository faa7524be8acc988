import { openSqliteStore } from './store/sqlite-store.ts';
import { openService, type OpenService, type ServiceOptions } from './service.ts';

/**
 * Opens the service on an embedded database, for one command.
 * @param file the database file, or `:memory:`
 * @throws ServiceUnavailable when it cannot be opened
 */
export async function openEmbedded(file: string, options: Omit<ServiceOptions, 'store'>): Promise<OpenService> {
  return await openService({ ...options, store: openSqliteStore(file, true) });
}
