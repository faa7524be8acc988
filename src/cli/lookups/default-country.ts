import type { Client } from '../../client/client.ts';
import { InterfaceError } from '../../client/errors.ts';
import { getConfig } from '../../contract/areas/config/endpoints.ts';

/** The country of phone numbers without a plus sign on the account; null if there is none, or the key or the service does not tell. */
export async function defaultCountry(client: Client): Promise<string | null> {
  try {
    return (await client.call(getConfig, {})).account_config.default_country;
  } catch (error) {
    if (error instanceof InterfaceError && [403, 404, 405].includes(error.status)) return null;
    throw error;
  }
}
