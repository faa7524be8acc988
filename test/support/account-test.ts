import { it as base } from './service-test.ts';

/** Tests with an account of their own, made with the fields of `account`, on the service of the file. */
export const it = base
  .extend('account', {} as Record<string, unknown>)
  .extend('freshAccount', { auto: true }, ({ service, account }) => service.freshAccount(account));
