import { readNumber, readNumberInPath } from '../contacts/address.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { ApiError, notFound } from '../../errors.ts';
import { newest } from '../../store/newest.ts';
import { disconnectNumber, pairedNumber, readPairing, startPairing } from './pairing.ts';
import { channels } from './table.ts';

export const channelHandlers: AreaHandlers<'channels'> = {
  'channels.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => newest(db, channels, { account_id: account.id }, before, limit));
    return { channels: rows.map(channels.show), next_cursor };
  },

  'channels.pair': preparedHandler(
    async ({ body }) => await readNumber(body.phone_number),
    async ({ db, account, now }, phone) => {
      const number = await pairedNumber(db, account.id, phone);
      return { phone_number: number, status: await startPairing(db, account.id, number, now) };
    },
  ),

  'channels.qr': ownTransactionsHandler(async ({ service, account, params, now }) => {
    const phone = await readNumberInPath(params.phoneNumber);
    const { number, status, code, isExpired } = await service.store.read(async (db) => {
      const number = await pairedNumber(db, account.id, phone);
      return { number, ...(await readPairing(db, account.id, number, now)) };
    });
    if (isExpired) throw new ApiError(410, 'The code has expired: start the pairing again');
    if (status === 'not_initialized') throw notFound('pairing');
    const image = code === null ? null : await (await import('qrcode')).default.toDataURL(code);
    return { phone_number: number, status, qr_code: code, qr_data_url: image };
  }),

  'channels.status': preparedHandler(
    ({ params }) => readNumberInPath(params.phoneNumber),
    async ({ db, account, now }, phone) => ({
      status: (await readPairing(db, account.id, await pairedNumber(db, account.id, phone), now)).status,
    }),
  ),

  'channels.disconnect': preparedHandler(
    ({ params }) => readNumberInPath(params.phoneNumber),
    async ({ db, account, now }, phone) => {
      await disconnectNumber(db, account.id, await pairedNumber(db, account.id, phone), now);
      return {};
    },
  ),
};
