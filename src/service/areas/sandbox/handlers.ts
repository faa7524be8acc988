import type { AreaHandlers } from '../../http/handler.ts';
import type { Deliveries } from '../webhooks/deliveries.ts';
import { accountHandlers } from './account-handlers.ts';
import { clockHandlers } from './clock-handlers.ts';
import { contactHandlers } from './contact-handlers.ts';
import { drillHandlers } from './drill-handlers.ts';
import { webhookHandlers } from './webhook-handlers.ts';

/** Creates the handlers of the sandbox. @param deliveries resends deliveries */
export function sandboxHandlers(deliveries: Deliveries): AreaHandlers<'sandbox'> {
  return { ...clockHandlers, ...accountHandlers, ...contactHandlers, ...webhookHandlers(deliveries), ...drillHandlers };
}
