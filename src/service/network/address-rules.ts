import { invalidField } from '../errors.ts';
import { addressFlaw, hostFlaw, type PrivateAddresses, type Resolve } from './addresses.ts';

/** The restrictions on the addresses that the service may call. */
export interface AddressRules {
  readonly allowPrivate: PrivateAddresses;
  readonly resolve: Resolve;
}

/**
 * Checks an address that is to be saved. An omitted one is allowed.
 * @param field the path of the address in the request, for the error
 * @throws ApiError 400 when the address is not allowed
 */
export async function checkAddress(url: string | null | undefined, field: string, { allowPrivate, resolve }: AddressRules): Promise<void> {
  if (typeof url !== 'string') return;
  const refusal = await addressFlaw(url, allowPrivate, resolve);
  if (refusal !== undefined) throw invalidField(field, refusal);
}

/**
 * Checks the address of a page that is to be read.
 * @param url undefined for a text that is not the address of a page
 * @param field the path of the address in the request, for the error
 * @throws ApiError 400 when the page must not be read
 */
export async function checkPage(url: URL | undefined, field: string, { allowPrivate, resolve }: AddressRules): Promise<URL> {
  if (!url) throw invalidField(field, 'must be an http or https address without a user name');
  const refusal = await hostFlaw(url, allowPrivate, resolve);
  if (refusal !== undefined) throw invalidField(field, refusal);
  return url;
}
