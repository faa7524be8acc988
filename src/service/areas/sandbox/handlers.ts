import type { AreaHandlers } from '../../http/handler.ts';
import { accountHandlers } from './account-handlers.ts';
import { askHandlers } from './ask-handlers.ts';
import { clockHandlers } from './clock-handlers.ts';
import { contactHandlers } from './contact-handlers.ts';
import { demonstrationHandlers } from './demonstration-handlers.ts';
import { drillHandlers } from './drill-handlers.ts';
import { templateHandlers } from './template-handlers.ts';
import { countHandlers } from './count-handlers.ts';
import { storeHandlers } from './store-handlers.ts';
import { webhookHandlers } from './webhook-handlers.ts';

/** The handlers of the sandbox. */
export const sandboxHandlers: AreaHandlers<'sandbox'> = {
  ...clockHandlers,
  ...accountHandlers,
  ...contactHandlers,
  ...askHandlers,
  ...webhookHandlers,
  ...templateHandlers,
  ...drillHandlers,
  ...countHandlers,
  ...demonstrationHandlers,
  ...storeHandlers,
};
