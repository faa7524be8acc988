import { readNumber, readNumberInPath } from '../contacts/address.ts';
import { type AreaHandlers, ownTransactionsHandler, preparedHandler } from '../../http/handler.ts';
import { ApiError } from '../../errors.ts';
import { newest } from '../../store/newest.ts';
import { disconnectNumber, readPairing, startPairing } from './pairing.ts';
import { channels } from './table.ts';

export const channelHandlers: AreaHandlers<'channels'> = {
  'channels.list': async ({ db, account, page }) => {
    const { rows, next_cursor } = await page((before, limit) => newest(db, channels, { account_id: account.id }, before, limit));
    return { channels: rows.map(channels.show), next_cursor };
  },

  'channels.pair': preparedHandler(
    async ({ body }) => (await readNumber(body.phone_number)).number,
    async ({ db, account, now }, number) => ({ phone_number: number, status: await startPairing(db, account.id, number, now) }),
  ),

  'channels.qr': ownTransactionsHandler(async ({ service, account, params, now }) => {
    const number = await readNumberInPath(params.phoneNumber);
    const { status, code, isExpired } = await service.store.read((db) => readPairing(db, account.id, number, now));
    if (isExpired) throw new ApiError(410, 'The code has expired: start the pairing again');
    if (status === 'not_initialized') throw new ApiError(404, 'Pairing not found');
    const image = code === null ? null : await (await import('qrcode')).default.toDataURL(code);
    return { phone_number: number, status, qr_code: code, qr_data_url: image };
  }),

  'channels.status': preparedHandler(
    ({ params }) => readNumberInPath(params.phoneNumber),
    async ({ db, account, now }, number) => ({ status: (await readPairing(db, account.id, number, now)).status }),
  ),

  'channels.disconnect': preparedHandler(
    ({ params }) => readNumberInPath(params.phoneNumber),
    async ({ db, account, now }, number) => {
      await disconnectNumber(db, account.id, number, now);
      return {};
    },
  ),
};
