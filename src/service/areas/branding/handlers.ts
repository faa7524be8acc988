import { checkNotEmpty } from '../../errors.ts';
import type { AreaHandlers } from '../../http/handler.ts';
import { showBrand, updateBrand } from './records.ts';

export const brandingHandlers: AreaHandlers<'branding'> = {
  'branding.get': async ({ db, service, account }) => ({ white_label: await showBrand(db, account.id, service.publicUrl) }),

  'branding.update': async ({ db, service, account, body, now }) => {
    checkNotEmpty(body);
    await updateBrand(db, account.id, body, now);
    return { white_label: await showBrand(db, account.id, service.publicUrl) };
  },
};
