import type { AreaHandlers } from '../../http/handler.ts';
import type { Writer } from '../answers/writer.ts';
import type { RuleBooks } from '../routing/rule-books.ts';
import type { Deliveries } from '../webhooks/deliveries.ts';
import { accountHandlers } from './account-handlers.ts';
import { askHandlers } from './ask-handlers.ts';
import { clockHandlers } from './clock-handlers.ts';
import { contactHandlers } from './contact-handlers.ts';
import { drillHandlers } from './drill-handlers.ts';
import { templateHandlers } from './template-handlers.ts';
import { countHandlers } from './count-handlers.ts';
import { historyHandlers } from './history-handlers.ts';
import { webhookHandlers } from './webhook-handlers.ts';

/**
 * Creates the handlers of the sandbox.
 * @param deliveries resends deliveries
 * @param writer replies for agents
 * @param books the rules that decide who answers
 */
export function sandboxHandlers(deliveries: Deliveries, writer: Writer, books: RuleBooks): AreaHandlers<'sandbox'> {
  return {
    ...clockHandlers,
    ...accountHandlers,
    ...contactHandlers(writer, books),
    ...askHandlers(writer),
    ...webhookHandlers(deliveries),
    ...templateHandlers,
    ...drillHandlers,
    ...countHandlers,
    ...historyHandlers,
  };
}
